//! Pictures of bodies: their surface, their cells, and where their sets lie.

use std::io::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::Body;
use carom_report::{Color, Drawing};
use carom_scene::{BodyGrid, Coloring};

/// The view from behind and below, where the usual one looks from the front and above.
const FROM_BEHIND: [f64; 3] = [1.0, 1.3, -0.8];

/// Draws the surface of a body. Every face has the colour of the smallest set that it belongs to; what is in no set, or only
/// in one that is the whole surface, is grey. If a set lies on the far side alone, a second view shows it.
pub(crate) fn draw(body: &Body) -> Drawing {
    let grid = BodyGrid::surface(body);
    let sets = sets(body, &grid);
    let names: Vec<(String, Color)> =
        sets.iter().enumerate().map(|(n, (name, _))| (name.clone(), Color::of_series(n))).collect();
    let mut groups = vec![usize::MAX; grid.faces.len()];
    for (n, (_, cells)) in sets.iter().enumerate() {
        cells.iter().for_each(|&cell| groups[cell] = n);
    }
    let coloring = Coloring::Cells { groups: &groups, names: &names };
    let mut picture = carom_scene::picture(&[(&grid, coloring)], true);
    picture.title.clone_from(&body.name);
    let faces_front = |cell: &usize| dot(normal(&grid, *cell), picture.view) > 0.0;
    if sets.iter().all(|(_, cells)| cells.iter().any(faces_front)) {
        return picture.draw();
    }
    let front = picture.draw();
    picture.view = FROM_BEHIND;
    picture.title = "from behind and below".to_owned();
    picture.legend.clear();
    let mut both = Drawing::new([2.0 * front.size[0], front.size[1]]);
    let right = [front.size[0], 0.0];
    both.place(front, [0.0; 2]);
    both.place(picture.draw(), right);
    both
}

/// Names of sets of faces and their cells in the grid, large ones first: small ones are painted over them. Sets of the same faces
/// are one.
fn sets(body: &Body, grid: &BodyGrid) -> Vec<(String, Vec<usize>)> {
    let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
    for name in body.set_names() {
        let Ok(faces) = body.faces_of_set(&name) else { continue };
        let is_of_set = |n: &usize| faces.binary_search(&grid.faces[*n]).is_ok();
        let cells: Vec<usize> = (0..grid.faces.len()).filter(is_of_set).collect();
        if cells.is_empty() || cells.len() == grid.faces.len() {
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

/// A vector along the outward normal in the middle of a face.
fn normal(grid: &BodyGrid, cell: usize) -> [f64; 3] {
    let (points, rim) = grid.sample(cell, 2);
    let mut sum = [0.0; 3];
    let Some(&first) = rim.first() else { return sum };
    for pair in rim.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|k| [0, 1, 2].map(|d| points[k][d] - points[first][d]));
        sum = [0, 1, 2].map(|d| sum[d] + a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
    }
    sum
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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
