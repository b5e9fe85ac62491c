//! Pictures of bodies: their surface, cells and sets.

use std::io::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::Body;
use carom_report::names::legend;
use carom_report::{Color, Drawing};
use carom_scene::{BodyGrid, Coloring};

/// View direction from behind and below; the default view is from the front and above.
const FROM_BEHIND: [f64; 3] = [1.0, 1.3, -0.8];

/// Draws the surface of a body. Every face has the colour and the name of the smallest set that it belongs
/// to. Faces without a set, or in a set of the whole surface only, are grey. If a set is not visible from the
/// front, a second view shows the other side. A shell has one colour for its two sides. Names that do not fit
/// into either view are listed below.
pub(crate) fn draw(body: &Body) -> Drawing {
    let grid = BodyGrid::surface(body);
    let sets = sets(body, &grid);
    let colors = Color::distinct(sets.len());
    let names: Vec<(String, Color)> = sets.iter().map(|(name, _)| name.clone()).zip(colors).collect();
    let mut groups = vec![usize::MAX; grid.cells.len()];
    for (n, (_, cells)) in sets.iter().enumerate() {
        cells.iter().for_each(|&cell| groups[cell] = n);
    }
    let coloring = Coloring::Cells { groups: &groups, names: &names };
    let mut picture = carom_scene::picture(&[(&grid, coloring)], true);
    picture.title.clone_from(&body.name);
    let (front, mut written) = picture.draw_with_names();
    let mut views = vec![front];
    if !written.iter().all(|written| *written) {
        picture.view = FROM_BEHIND;
        picture.title = "from behind and below".to_owned();
        let (behind, written_behind) = picture.draw_with_names();
        let is_new = |(before, now): (&bool, &bool)| *now && !*before;
        if written.iter().zip(&written_behind).any(is_new) {
            views.push(behind);
            written.iter_mut().zip(written_behind).for_each(|(before, now)| *before |= now);
        }
    }
    let views = Drawing::side_by_side(views);
    let left: Vec<(String, Color)> = names
        .into_iter()
        .enumerate()
        .filter(|(n, _)| !written[*n])
        .map(|(n, (name, color))| match groups.contains(&n) {
            true => (name, color),
            false => (format!("{name} (all of it in smaller sets)"), Color::WHITE),
        })
        .collect();
    if left.is_empty() {
        return views;
    }
    let width = views.size[0];
    Drawing::stacked([views, legend(&left, width)])
}

/// Names of sets of faces and beams, and their cells in the grid, large sets first: small sets are painted
/// over them. Sets with the same cells are merged.
fn sets(body: &Body, grid: &BodyGrid) -> Vec<(String, Vec<usize>)> {
    let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
    for name in body.set_names() {
        let mut faces = body.faces_of_set(&name).unwrap_or_default();
        faces.iter_mut().for_each(|face| *face = grid.shown_face(*face));
        faces.sort_unstable();
        let beams = body.beams_of_set(&name).unwrap_or_default();
        let is_of_set = |n: &usize| match grid.faces.get(*n) {
            Some(face) => faces.binary_search(face).is_ok(),
            None => beams.binary_search(&grid.cells[*n]).is_ok(),
        };
        let cells: Vec<usize> = (0..grid.cells.len()).filter(is_of_set).collect();
        if cells.is_empty() || cells.len() == grid.cells.len() {
            continue;
        }
        match sets.iter_mut().find(|(_, known)| *known == cells) {
            Some((names, _)) => *names = format!("{names} = {name}"),
            None => sets.push((name, cells)),
        }
    }
    sets.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    sets
}

/// Writes the picture in the format given by the ending of the path.
pub(crate) fn write(body: &Body, path: &Path) -> Result<(), Failure> {
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let bytes = match ending.as_deref() {
        Some("svg") => draw(body).to_svg().into_bytes(),
        Some("png") => draw(body).to_png(2.0).or_fail(Category::Other)?,
        _ => {
            let what = format!("`{}`: pictures are written as .svg or .png", path.display());
            return Err(Failure::new(Category::Usage, what).hint("change the ending"));
        }
    };
    carom_files::write_atomically(path, |out| out.write_all(&bytes)).or_fail(Category::Files)
}
