//! Conversion of frames, events and checkpoints to rows of the database.

use carom_dynamics::{BodyState, Checkpoint, ContactEvent, ContactState, Frame, Values};
use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use super::super::{FrameContent, balances, blob, grids, joints, schema};
use super::ResultWriter;

impl ResultWriter {
    /// Writes a frame: states of bodies and contacts, and the ledger.
    pub(super) fn write_frame(&mut self, frame: &Frame<'_>) -> rusqlite::Result<()> {
        let id = self.n_frames;
        let database = &self.database;
        let mut statement = database.prepare_cached(&schema::insert("frame", 3))?;
        statement.execute(params![id, frame.time, frame.steps as i64])?;
        let mut statement = database.prepare_cached(&schema::insert("body_frame", 17))?;
        for (body, state) in frame.bodies.iter().enumerate() {
            let content = if self.unreduced.contains(&body) { self.content } else { FrameContent::default() };
            write_body(&mut statement, [id, body as i64], state, content, &mut self.bytes)?;
        }
        for (body, state) in
            frame.bodies.iter().enumerate().filter(|(_, state)| !state.point_stress.is_empty())
        {
            let [stress, strain] = &mut self.bytes;
            blob::from_f64_as_f32(&state.point_stress, stress);
            blob::from_f64_as_f32(&state.plastic_strain, strain);
            let mut statement = database.prepare_cached(&schema::insert("body_stress", 4))?;
            statement.execute(params![id, body as i64, *stress, *strain])?;
        }
        for (body, state) in
            frame.bodies.iter().enumerate().filter(|(_, state)| !state.point_rotations.is_empty())
        {
            let [rotation, _] = &mut self.bytes;
            blob::from_f64_as_f32(&state.point_rotations, rotation);
            let mut statement = database.prepare_cached(&schema::insert("body_rotation", 3))?;
            statement.execute(params![id, body as i64, *rotation])?;
        }
        let mut statement = database.prepare_cached(&schema::insert("contact_frame", 9))?;
        let has_all = frame.contacts.len() <= ContactState::FEW;
        for (pair, state) in frame.contacts.iter().enumerate().filter(|(_, s)| has_all || !s.is_far()) {
            write_contact(&mut statement, id, pair, state, &mut self.bytes)?;
        }
        for (pair, state) in frame.contacts.iter().enumerate() {
            for surface in &state.surfaces {
                let [faces, pressures] = &mut self.bytes;
                blob::from_u32(&surface.faces, faces);
                blob::from_f64(&surface.pressures, pressures);
                let mut statement = database.prepare_cached(&schema::insert("surface_pressure", 5))?;
                statement.execute(params![id, pair as i64, surface.body as i64, *faces, *pressures])?;
            }
        }
        grids::write_frame(database, id, frame.contacts)?;
        balances::write_frame(database, id, frame.bodies)?;
        if self.has_joints {
            joints::write_frame(database, id, frame.joints)?;
        }
        let values = frame.ledger.values();
        let mut statement = database.prepare_cached(&schema::insert("ledger", values.len() + 1))?;
        let id_value = std::iter::once(Value::Integer(id));
        statement.execute(params_from_iter(id_value.chain(values.into_iter().map(finite_or_extreme))))?;
        self.n_frames += 1;
        Ok(())
    }

    /// Writes a contact event that has ended, or is open at the end of the run.
    pub(super) fn write_event(&mut self, event: &ContactEvent) -> rusqlite::Result<()> {
        let head = "INSERT INTO contact_event (pair, start, \"end\", open, peak_force, peak_time, impulse_x, \
            impulse_y, \
                    impulse_z, velocity_before, velocity_after, max_approach, vibration_energy, sub_impacts, \
                    normal_x, \
                    normal_y, normal_z, place_x, place_y, place_z, slip_before_x, slip_before_y, \
                    slip_before_z, \
                    slip_after_x, slip_after_y, slip_after_z, first_before, second_before, first_after, \
                    second_after, \
                    vibration_before, other_impulse, first_body, second_body) VALUES (?1, ?2, ?3, ?4";
        let places: String = (5..=34).map(|i| format!(", ?{i}")).collect();
        let (peak_force, peak_time) = event.peak().unzip();
        let real = Value::Real;
        let maybe = |value: Option<f64>| value.map_or(Value::Null, Value::Real);
        let mut values = vec![
            Value::Integer(event.pair as i64),
            real(event.start),
            real(event.end),
            Value::Integer(i64::from(event.open)),
            maybe(peak_force),
            maybe(peak_time),
        ];
        values.extend(event.impulse.map(real));
        values.extend([event.velocity_before, event.velocity_after].map(real));
        values.extend([event.max_approach, event.vibration_energy].map(real));
        values.push(Value::Integer(i64::from(event.sub_impacts)));
        let vectors = [event.normal, event.place, event.slip_before, event.slip_after];
        values.extend(vectors.as_flattened().iter().copied().map(real));
        values.extend([event.own_before, event.own_after].as_flattened().iter().copied().map(real));
        values.extend([event.vibration_before, event.other_impulse].map(finite_or_extreme));
        let body = |body: Option<usize>| body.map_or(Value::Null, |body| Value::Integer(body as i64));
        values.extend([0, 1].map(|end| body(event.bodies.map(|bodies| bodies[end]))));
        self.database.prepare_cached(&format!("{head}{places})"))?.execute(params_from_iter(values))?;
        Ok(())
    }

    /// Writes the checkpoint, which replaces the previous one.
    pub(super) fn write_checkpoint(&mut self, checkpoint: &Checkpoint) -> rusqlite::Result<()> {
        let database = &self.database;
        database.prepare_cached(&schema::insert("checkpoint", 5))?.execute(params![
            1,
            checkpoint.scheme,
            checkpoint.version as i64,
            checkpoint.time,
            checkpoint.steps as i64
        ])?;
        database.prepare_cached("DELETE FROM checkpoint_entry")?.execute([])?;
        let mut statement = database.prepare_cached(&schema::insert("checkpoint_entry", 3))?;
        for (name, values) in &checkpoint.entries {
            let kind = match values {
                Values::Reals(reals) => {
                    blob::from_f64(reals, &mut self.bytes[0]);
                    "reals"
                }
                Values::Integers(integers) => {
                    blob::from_u64(integers, &mut self.bytes[0]);
                    "integers"
                }
            };
            statement.execute(params![name, kind, self.bytes[0]])?;
        }
        Ok(())
    }
}

fn write_body(
    statement: &mut rusqlite::CachedStatement<'_>,
    [frame, body]: [i64; 2],
    state: &BodyState,
    content: FrameContent,
    [modal, rate]: &mut [Vec<u8>; 2],
) -> rusqlite::Result<()> {
    let rates = if content.velocities { &state.modal_rate[..] } else { &[] };
    let write = if content.single { blob::from_vectors } else { blob::from_f64 };
    write(&state.modal, modal);
    write(rates, rate);
    let ([x, y, z], [q0, q1, q2, q3]) = (state.position, state.quaternion);
    let ([vx, vy, vz], [wx, wy, wz]) = (state.velocity, state.angular_velocity);
    statement
        .execute(params![frame, body, x, y, z, q0, q1, q2, q3, vx, vy, vz, wx, wy, wz, *modal, *rate])?;
    Ok(())
}

fn write_contact(
    statement: &mut rusqlite::CachedStatement<'_>,
    frame: i64,
    pair: usize,
    state: &ContactState,
    [faces, pressures]: &mut [Vec<u8>; 2],
) -> rusqlite::Result<()> {
    blob::from_u32(&state.pressure_faces, faces);
    blob::from_f64(&state.pressures, pressures);
    let [fx, fy, fz] = state.force;
    // SQLite stores infinity but not NaN; an unknown gap is infinite.
    let gap = state.free_gap.is_finite().then_some(state.free_gap);
    statement.execute(params![
        frame,
        pair as i64,
        fx,
        fy,
        fz,
        state.normal_force,
        gap,
        *faces,
        *pressures
    ])?;
    Ok(())
}

/// Replaces NaN by infinity: SQLite would store NaN as NULL, which would hide it.
fn finite_or_extreme(value: f64) -> Value {
    Value::Real(if value.is_nan() { f64::INFINITY } else { value })
}
