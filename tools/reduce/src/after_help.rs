//! The ends of the help texts.

pub(crate) const REDUCE: &str = "\
Examples:
  carom-reduce modes ball.npz --count 18
  carom-reduce craig-bampton ball.npz -o ball.rom --interface pole --modes 24
  carom-reduce compare ball.rom ball.npz";

pub(crate) const MODES: &str = "\
Examples:
  carom-reduce modes ball.npz --count 18
  carom-reduce modes rod.npz --fix start --up-to 2e4 -o modes.vtu";

pub(crate) const CRAIG_BAMPTON: &str = "\
Examples:
  carom-reduce craig-bampton ball.npz -o ball.rom --interface pole --modes 24
  carom-reduce craig-bampton rod.npz -o rod.rom --attach start=rigid --modes 12
  carom-reduce craig-bampton rod.npz -o rod.rom --places end --modes 20";

pub(crate) const INFO: &str = "\
Examples:
  carom-reduce info ball.rom
  carom-reduce info ball.rom --modes";

pub(crate) const EXPORT: &str = "\
Examples:
  carom-reduce export ball.rom -o ball.SID_FEM --format sid
  carom-reduce export rod.npz -o rod --format mtx
  carom-reduce export rod.npz -o rod --format petsc --attach start=mean";

pub(crate) const IMPORT: &str = "\
Examples:
  carom-reduce import ball.SID_FEM -o other.rom
  carom-reduce import K.mtx M.mtx --nodes n.txt --interface-nodes i.txt -o a.rom";

pub(crate) const COMPARE: &str = "\
Examples:
  carom-reduce compare ball.rom ball.npz
  carom-reduce compare ball.rom ball.npz --count 20 --tolerance 0.005 --check";

pub(crate) const COMPLIANCE: &str = "\
Examples:
  carom-reduce compliance ball.rom
  carom-reduce compliance ball.rom ball.npz --velocity 0.3 -o compliance.svg";
