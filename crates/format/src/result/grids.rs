//! Pressures of contacts on half-space grids, frame by frame, as rows of the database.

use carom_dynamics::{ContactState, GridCell, GridPressures};
use rusqlite::{Row, params};

use super::{ResultError, ResultReader, blob, schema};

/// Columns of the table after `frame` and `pair`, in the order of [`read_grid`].
const COLUMNS: &str = "body, side_first, side_second, modulus, poisson_body, poisson_other, plane, \
                       curvature, cells, heights, pressures, tractions";

/// Writes the grids of a frame that have pressure.
pub(super) fn write_frame(
    database: &rusqlite::Connection,
    frame: i64,
    contacts: &[ContactState],
) -> rusqlite::Result<()> {
    let mut bytes: [Vec<u8>; 6] = Default::default();
    for (pair, state) in contacts.iter().enumerate().filter(|(_, state)| !state.grid.cells.is_empty()) {
        let grid = &state.grid;
        let of_cells = |of: fn(&GridCell) -> f64| grid.cells.iter().map(of).collect::<Vec<f64>>();
        let [plane, curvature, cells, heights, pressures, tractions] = &mut bytes;
        blob::from_f64(&[&grid.center[..], grid.axes.as_flattened()].concat(), plane);
        blob::from_f64(&grid.curvature, curvature);
        let numbers = grid.cells.iter().flat_map(|cell| cell.index.map(i32::cast_unsigned));
        blob::from_u32(&numbers.collect::<Vec<u32>>(), cells);
        blob::from_f64_as_f32(&of_cells(|cell| cell.height), heights);
        blob::from_f64_as_f32(&of_cells(|cell| cell.pressure), pressures);
        let friction: Vec<f64> = if grid.has_friction() {
            grid.cells.iter().flat_map(|cell| cell.traction).collect()
        } else {
            Vec::new()
        };
        blob::from_f64_as_f32(&friction, tractions);
        let [poisson_body, poisson_other] = grid.poisson;
        let mut statement = database.prepare_cached(&schema::insert("grid_pressure", 14))?;
        statement.execute(params![
            frame,
            pair as i64,
            grid.body as i64,
            grid.sides[0],
            grid.sides[1],
            grid.modulus,
            poisson_body,
            poisson_other,
            *plane,
            *curvature,
            *cells,
            *heights,
            *pressures,
            *tractions
        ])?;
    }
    Ok(())
}

impl ResultReader {
    /// Adds the pressures on grids to the contacts of a frame.
    pub(super) fn read_grids(&self, frame: i64, contacts: &mut [ContactState]) -> Result<(), ResultError> {
        for (pair, grid) in self.grids("pair", "frame", frame)? {
            let state = usize::try_from(pair).ok().and_then(|pair| contacts.get_mut(pair));
            state.ok_or_else(|| self.damaged("grid_pressure", "a pair that is not there"))?.grid = grid;
        }
        Ok(())
    }

    /// Pressures of a pair on its half-space grid, with the number of the frame; frames without pressure are
    /// left out.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn grid_course(&self, pair: usize) -> Result<Vec<(usize, GridPressures)>, ResultError> {
        let all = self.grids("frame", "pair", pair as i64)?;
        Ok(all.into_iter().map(|(frame, grid)| (frame as usize, grid)).collect())
    }

    /// Grids where the column `of` is `id`, with the value of the column `key`; none in results before
    /// version 1.8.
    fn grids(&self, key: &str, of: &str, id: i64) -> Result<Vec<(i64, GridPressures)>, ResultError> {
        if !self.has_table("grid_pressure")? {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {COLUMNS}, {key} FROM grid_pressure WHERE {of} = ?1 ORDER BY {key}");
        let rows = self.of_id(&sql, id, |row| Ok((row.get::<_, i64>(12)?, read_grid(row)?)))?;
        let whole = rows.into_iter().map(|(key, grid)| Some((key, grid?))).collect::<Option<Vec<_>>>();
        whole.ok_or_else(|| self.damaged("grid_pressure", "cut numbers"))
    }
}

/// A grid; none if its numbers do not fit together.
fn read_grid(row: &Row<'_>) -> rusqlite::Result<Option<GridPressures>> {
    let bytes = |column: usize| row.get::<_, Vec<u8>>(column);
    let plane = blob::to_f64(&bytes(6)?).and_then(|plane| <[f64; 12]>::try_from(plane).ok());
    let curvature = blob::to_f64(&bytes(7)?).and_then(|values| values.try_into().ok());
    let cells = blob::to_u32(&bytes(8)?);
    let [heights, pressures, tractions] =
        [bytes(9)?, bytes(10)?, bytes(11)?].map(|bytes| blob::to_f64_of_f32(&bytes));
    let (Some(plane), Some(curvature), Some(cells)) = (plane, curvature, cells) else { return Ok(None) };
    let (Some(heights), Some(pressures), Some(tractions)) = (heights, pressures, tractions) else {
        return Ok(None);
    };
    let ([center, axes @ ..], []) = plane.as_chunks::<3>() else { return Ok(None) };
    let (Ok(axes), (cells, [])) = (<[[f64; 3]; 3]>::try_from(axes), cells.as_chunks::<2>()) else {
        return Ok(None);
    };
    let (pairs, rest) = tractions.as_chunks::<2>();
    let n = cells.len();
    let is_whole = heights.len() == n && pressures.len() == n && rest.is_empty();
    if !is_whole || !(pairs.is_empty() || pairs.len() == n) {
        return Ok(None);
    }
    let cell = |k: usize| GridCell {
        index: cells[k].map(u32::cast_signed),
        height: heights[k],
        pressure: pressures[k],
        traction: pairs.get(k).copied().unwrap_or_default(),
    };
    Ok(Some(GridPressures {
        body: row.get::<_, i64>(0)? as usize,
        center: *center,
        axes,
        sides: [row.get(1)?, row.get(2)?],
        curvature,
        modulus: row.get(3)?,
        poisson: [row.get(4)?, row.get(5)?],
        cells: (0..n).map(cell).collect(),
    }))
}
