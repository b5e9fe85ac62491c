//! Lines of progress without a terminal.

use carom_testing::program::{json, progress};

use crate::program::{Place, SMALL};

#[test]
fn lines_of_progress_name_the_body_and_the_fraction() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    let ran = place
        .command(&["run", "small.toml", "--json", "-j", "1"])
        .env("CAROM_PROGRESS_SECONDS", "0.001")
        .output()
        .unwrap();
    // Standard output contains only the object.
    assert_eq!(json(&ran)["schema"], "carom run 1");
    let lines = progress(&ran);
    for wanted in
        ["plate (2 of 2): ", "thousandths of the time, ", " of 1000 (", "export, ParaView files, ", "plots"]
    {
        assert!(lines.iter().any(|line| line.contains(wanted)), "no `{wanted}` in {lines:#?}");
    }
    let quiet = place
        .command(&["run", "small.toml", "-q", "--force"])
        .env("CAROM_PROGRESS_SECONDS", "0.001")
        .output();
    let quiet = quiet.unwrap();
    assert!(quiet.status.success() && progress(&quiet).is_empty());
}
