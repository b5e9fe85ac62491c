//! Probes: what they are on, and their samples as rows of the database.

use carom_dynamics::{ProbeQuantity, ProbeSample};
use rusqlite::{Row, params};

use super::{ResultError, ResultProbe, ResultReader, schema};

/// The samples of a probe, in the order of their times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProbeCourse {
    /// Times \[s\].
    pub times: Vec<f64>,
    /// For each sample one entry for each quantity of the probe. Of a quantity that is one number the first
    /// component counts; a quantity that is not known is infinite.
    pub values: Vec<Vec<[f64; 3]>>,
}

/// Writes the probes of a run, at its start.
pub(super) fn write_probes(database: &rusqlite::Connection, probes: &[ResultProbe]) -> rusqlite::Result<()> {
    for (id, probe) in probes.iter().enumerate() {
        let words: Vec<&str> = probe.quantities.iter().map(|quantity| quantity.name()).collect();
        let row = params![id as i64, probe.name, probe.place, probe.axes, probe.every, words.join(" ")];
        database.execute(&schema::insert("probe", 6), row)?;
    }
    Ok(())
}

/// Writes a sample, one row for each quantity.
pub(super) fn write_sample(
    database: &rusqlite::Connection,
    quantities: &[ProbeQuantity],
    sample: &ProbeSample<'_>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO probe_value (probe, time, quantity, x, y, z) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = database.prepare_cached(sql)?;
    for (quantity, [x, y, z]) in quantities.iter().zip(sample.values) {
        // SQLite stores infinity but not NaN; an unknown quantity is infinite.
        let x = x.is_finite().then_some(*x);
        let [y, z] = [y, z].map(|value| (x.is_some() && quantity.is_vector()).then_some(*value));
        statement.execute(params![sample.probe as i64, sample.time, quantity.name(), x, y, z])?;
    }
    Ok(())
}

impl ResultReader {
    /// Reads the probes of the run; none in results before version 1.10.
    pub(super) fn probes(&self) -> Result<Vec<ResultProbe>, ResultError> {
        if !self.has_table("probe")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT name, place, axes, every, quantities FROM probe ORDER BY id";
        let rows = self.rows(sql, |row| {
            let probe = ResultProbe {
                name: row.get(0)?,
                place: row.get(1)?,
                axes: row.get(2)?,
                every: row.get(3)?,
                quantities: Vec::new(),
            };
            Ok((probe, row.get::<_, String>(4)?))
        })?;
        let with_quantities = |(probe, words): (ResultProbe, String)| {
            let unknown = |word: &str| self.damaged("probe", format!("the quantity `{word}` is unknown"));
            let quantities = words.split_whitespace();
            let quantities = quantities.map(|word| ProbeQuantity::of_name(word).ok_or_else(|| unknown(word)));
            Ok(ResultProbe { quantities: quantities.collect::<Result<_, _>>()?, ..probe })
        };
        rows.into_iter().map(with_quantities).collect()
    }

    /// The samples of all probes, probe by probe.
    ///
    /// # Errors
    ///
    /// [`ResultError`]
    pub fn probe_courses(&self) -> Result<Vec<ProbeCourse>, ResultError> {
        let probes = self.probes()?;
        let mut courses = vec![ProbeCourse::default(); probes.len()];
        if probes.is_empty() {
            return Ok(courses);
        }
        let sql = "SELECT probe, time, quantity, x, y, z FROM probe_value ORDER BY id";
        for Value { probe, time, quantity, values } in self.rows(sql, Value::read)? {
            let number = usize::try_from(probe).ok().filter(|number| *number < probes.len());
            let place = number.and_then(|number| {
                let known = probes[number].quantities.iter();
                Some((number, known.map(|known| known.name()).position(|name| name == quantity)?))
            });
            let Some((number, place)) = place else {
                return Err(self.damaged("probe_value", format!("probe {probe} has no `{quantity}`")));
            };
            let course = &mut courses[number];
            if place == 0 {
                course.times.push(time);
                course.values.push(Vec::with_capacity(probes[number].quantities.len()));
            }
            match course.values.last_mut().filter(|row| row.len() == place) {
                Some(row) => row.push(values),
                None => return Err(self.damaged("probe_value", format!("a sample at {time} s is cut"))),
            }
        }
        let complete = |(course, probe): (&ProbeCourse, &ResultProbe)| {
            course.values.last().is_none_or(|row| row.len() == probe.quantities.len())
        };
        match courses.iter().zip(&probes).all(complete) {
            true => Ok(courses),
            false => Err(self.damaged("probe_value", "the last sample is cut")),
        }
    }
}

/// A row of the table of values.
struct Value {
    probe: i64,
    time: f64,
    quantity: String,
    values: [f64; 3],
}

impl Value {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |column| row.get::<_, Option<f64>>(column);
        let [x, y, z] = [number(3)?, number(4)?, number(5)?];
        Ok(Self {
            probe: row.get(0)?,
            time: row.get(1)?,
            quantity: row.get(2)?,
            values: x.map_or([f64::INFINITY; 3], |x| [x, y.unwrap_or(0.0), z.unwrap_or(0.0)]),
        })
    }
}
