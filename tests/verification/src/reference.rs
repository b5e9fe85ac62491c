//! Problems with known answers that are not part of the project: modes of meshes, complementarity problems.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use carom_contact::solver::{Dense, LcpSolver, Operator, Sparse, residual};
use carom_fem::Geometry;
use carom_report::number::significant;
use serde_json::Value;

use crate::elements::{body, frequencies};
use crate::{Bench, BenchError, Outcome, Row, Table};

/// Nodes up to which a mesh is part of the case.
const MOST_NODES: u64 = 5500;

/// Error of a complementarity problem that counts as solved, relative to max(1, max |q|).
const SOLVED: f64 = 1e-10;

/// A file or folder of the reference data.
pub(crate) fn data(path: &str) -> Result<PathBuf, BenchError> {
    let folder = std::env::var_os("CAROM_SHARED_DATA").ok_or(BenchError::NoData)?;
    Ok(Path::new(&folder).join(path))
}

fn json(path: &Path) -> Result<Value, BenchError> {
    let read = |source| BenchError::Read { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(read)?;
    serde_json::from_str(&text).map_err(|error| BenchError::Scenario(format!("{}: {error}", path.display())))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// Free and clamped frequencies of the meshes.
pub(crate) fn meshes(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let list = json(&data("meshes/reference.json")?)?;
    let header = vec!["mesh", "nodes", "support", "first frequency [Hz]", "largest error of 12"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let meshes: BTreeMap<&String, &Value> = list.as_object().into_iter().flatten().collect();
    for (file, mesh) in meshes {
        let nodes = mesh["nodes"].as_u64().unwrap_or(u64::MAX);
        if nodes >= MOST_NODES {
            continue;
        }
        let read = carom_mesh::msh::read(&data("meshes")?.join(file));
        let (geometry, _) = read.map_err(|error| BenchError::Scenario(format!("{file}: {error}")))?;
        let steel = body(file, Geometry::Mesh(geometry), [7800.0, 210e9, 0.3]);
        for case in ["free_free", "clamped"] {
            let expected = numbers(&mesh[case]["hz"]);
            if expected.is_empty() {
                continue;
            }
            let fix: Vec<String> =
                mesh[case]["clamped_group"].as_str().map(str::to_owned).into_iter().collect();
            let n_rigid = if fix.is_empty() { 6 } else { 0 };
            let (hz, _) = frequencies(bench, &steel, &fix, n_rigid + expected.len())?;
            let errors = hz[n_rigid..].iter().zip(&expected).map(|(found, known)| found / known - 1.0);
            let worst = errors.fold(0.0, |worst: f64, error| worst.max(error.abs()));
            let support = if fix.is_empty() { "free" } else { "clamped" };
            outcome.rows.push(Row::new(format!("{file}, {support}: largest error"), "", worst, 0.0, 1e-6));
            outcome.table.rows.push(vec![
                file.clone(),
                nodes.to_string(),
                support.to_owned(),
                significant(hz[n_rigid], 6),
                significant(worst, 2),
            ]);
        }
    }
    Ok(outcome)
}

/// Linear complementarity problems of the literature.
pub(crate) fn complementarity(_: &Bench<'_>) -> Result<Outcome, BenchError> {
    let folder = data("contact/lcp")?;
    let read = |source| BenchError::Read { path: folder.clone(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(read)? {
        files.push(entry.map_err(read)?.path());
    }
    files.sort();
    let header = vec!["problem", "unknowns", "method", "iterations", "residual"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let mut solver = LcpSolver::default();
    for file in files {
        let problem = json(&file)?;
        let (name, q) = (problem["name"].as_str().unwrap_or_default().to_owned(), numbers(&problem["q"]));
        let m = &problem["M"];
        let places = numbers(&m["rows"]).into_iter().zip(numbers(&m["cols"])).zip(numbers(&m["vals"]));
        let entries: Vec<_> = places.map(|((i, j), value)| (i as usize, j as usize, value)).collect();
        let failed = |error: String| BenchError::Scenario(format!("{name}: {error}"));
        let sparse = Sparse::new(q.len(), &entries).map_err(|error| failed(error.to_string()))?;
        let values = (0..q.len() * q.len()).map(|k| sparse.at(k / q.len(), k % q.len())).collect();
        let dense = Dense::new(q.len(), values).map_err(|error| failed(error.to_string()))?;
        let mut z = vec![0.0; q.len()];
        let solved = solver.solve(&dense as &dyn Operator, &q, &mut z, None);
        let scale = q.iter().fold(1.0, |scale: f64, q| scale.max(q.abs()));
        let error = residual(|i, j| dense.at(i, j), &q, &z) / scale;
        let (method, iterations) = match &solved {
            Ok(solution) => (solution.method.to_string(), solution.iterations.to_string()),
            Err(_) => ("refused".to_owned(), "–".to_owned()),
        };
        let cells = [name.clone(), q.len().to_string(), method, iterations, significant(error, 2)];
        outcome.table.rows.push(cells.to_vec());
        let has_solution = problem["solved"].as_bool() == Some(true);
        let row = if has_solution {
            Row::new(format!("{name}: residual"), "", error, 0.0, SOLVED)
        } else {
            Row::new(
                format!("{name}: refused (1), no solution is known"),
                "",
                f64::from(solved.is_err()),
                1.0,
                0.0,
            )
        };
        outcome.rows.push(row);
    }
    Ok(outcome)
}
