//! The ends of the help texts.

pub(crate) const POST: &str = "\
Examples:
  carom-post export tap/result.carom -o pictures
  carom-post table tap/result.carom --what contacts
  carom-post hertz --radius 0.015,inf --velocity 0.3";

pub(crate) const EXPORT: &str = "\
Examples:
  carom-post export tap/result.carom -o pictures
  carom-post export tap/result.carom -o pictures --every 5 --fields velocity
  carom-post export tap/result.carom -o pictures --format vtkhdf";

pub(crate) const PLOT: &str = "\
Examples:
  carom-post plot tap/result.carom -o energy.svg
  carom-post plot tap/result.carom --what contact-force -o force.png";

pub(crate) const PICTURE: &str = "\
Examples:
  carom-post picture tap/result.carom -o end.png
  carom-post picture tap/result.carom -o top.png --time 2e-5 --view 0,-1,2";

pub(crate) const TABLE: &str = "\
Examples:
  carom-post table tap/result.carom
  carom-post table tap/result.carom --what contact-force --csv
  carom-post table tap/result.carom --what summary --csv -o summary.csv";

pub(crate) const STRESS: &str = "\
Files for each body, in the axes of its file:
  BODY-stress.vtu     largest von Mises stress at each point, its error, its time, and the largest range
  BODY-history.csv    stress over time at the points of the largest stress, of the largest range, and --at
  BODY-rainflow.csv   cycles of the von Mises stress, with the sign of the mean stress, at these points

Examples:
  carom-post stress tap/result.carom -o stress
  carom-post stress tap/result.carom -o stress --at rod:0.5,0.01,0";

pub(crate) const REPORT: &str = "\
Examples:
  carom-post report tap/result.carom -o report.html";

pub(crate) const HERTZ: &str = "\
Examples:
  carom-post hertz --velocity 0.3
  carom-post hertz --radius 0.015,inf --young 210e9,72e9 --velocity 0.3";
