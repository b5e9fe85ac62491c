//! Tables of results, read by SQLite.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// All rows of all tables by their names, without wall times, commands and the paths of
/// bodies.
pub(crate) fn tables(result: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let database = Connection::open_with_flags(result, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let checked: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(checked, "ok", "{}", result.display());
    let names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('timing', 'origin')";
    let mut statement = database.prepare(names).unwrap();
    let names: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    names.into_iter().map(|name| (name.clone(), rows(&database, &name))).collect()
}

fn rows(database: &Connection, table: &str) -> Vec<Vec<Value>> {
    let n = database.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap().column_count();
    let order: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    let sql = format!("SELECT * FROM \"{table}\" ORDER BY {}", order.join(", "));
    let mut statement = database.prepare(&sql).unwrap();
    let names = statement.column_names().enumerate();
    let columns: Vec<usize> = names.filter(|(_, name)| !name.ends_with("_path")).map(|(i, _)| i).collect();
    let rows = statement.query_map([], |row| columns.iter().map(|i| row.get(*i)).collect()).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Fails with the first row in which two results differ.
pub(crate) fn assert_equal(result: &Path, whole: &Path, what: &str) {
    let (found, expected) = (tables(result), tables(whole));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}: tables");
    for (name, rows) in &expected {
        let differs = |i: &usize| found[name].get(*i) != rows.get(*i);
        if let Some(i) = (0..rows.len().max(found[name].len())).find(differs) {
            panic!(
                "{what}: table `{name}` has {} rows of {}; row {i} is {:?} and should be {:?}",
                found[name].len(),
                rows.len(),
                found[name].get(i),
                rows.get(i)
            );
        }
    }
}
