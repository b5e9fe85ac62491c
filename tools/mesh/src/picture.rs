//! Pictures of bodies: their surface, their cells, and where their sets lie.

use std::io::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::Body;
use carom_report::{Color, Drawing};
use carom_scene::{BodyGrid, Coloring};

/// Draws the surface of a body. Every face has the colour of the smallest set that it belongs to; what is in no set, or only
/// in one that is the whole surface, is grey.
pub(crate) fn draw(body: &Body) -> Drawing {
    let grid = BodyGrid::surface(body);
    let mut sets: Vec<(String, Vec<usize>)> = body
        .set_names()
        .into_iter()
        .filter_map(|name| {
            let faces = body.faces_of_set(&name).ok()?;
            let is_of_set = |n: &usize| faces.binary_search(&grid.faces[*n]).is_ok();
            let cells: Vec<usize> = (0..grid.faces.len()).filter(is_of_set).collect();
            (!cells.is_empty() && cells.len() < grid.faces.len()).then_some((name, cells))
        })
        .collect();
    // Small sets are painted over large ones.
    sets.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    let names: Vec<(String, Color)> =
        sets.iter().enumerate().map(|(n, (name, _))| (name.clone(), Color::of_series(n))).collect();
    let mut groups = vec![usize::MAX; grid.faces.len()];
    for (n, (_, cells)) in sets.iter().enumerate() {
        cells.iter().for_each(|&cell| groups[cell] = n);
    }
    let coloring = Coloring::Cells { groups: &groups, names: &names };
    let mut picture = carom_scene::picture(&[(&grid, coloring)], true);
    picture.title.clone_from(&body.name);
    picture.draw()
}

/// The picture in the format that the ending of the path asks for.
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
