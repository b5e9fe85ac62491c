//! Titles and texts of the pages in `docs` agree with the cases.

use std::path::Path;

use carom_verification::cases;

#[test]
fn the_pages_have_the_title_and_the_text_of_each_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (report, local, ways) = (page("verification.md"), page("local-refinement.md"), page("six-ways.md"));
    for case in cases() {
        let page = match case.name {
            "local" => &local,
            "six-ways" => &ways,
            _ => &report,
        };
        assert!(page.contains(case.title), "{}: the title `{}`", case.name, case.title);
        assert!(page.contains(case.about), "{}: the text `{}`", case.name, case.about);
    }
}
