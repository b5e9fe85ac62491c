//! Rows of a result as states and events.

use carom_dynamics::{BodyState, ContactEvent, ContactState};
use rusqlite::Row;

use super::super::blob;

/// The state of a body in a frame; none if a blob is too short.
///
/// * `is_single` — true for blobs of vectors in single precision
pub(super) fn read_body(row: &Row<'_>, is_single: bool) -> rusqlite::Result<Option<BodyState>> {
    let read = if is_single { blob::to_vectors } else { blob::to_f64 };
    let modal = read(&row.get::<_, Vec<u8>>(15)?);
    let modal_rate = read(&row.get::<_, Vec<u8>>(16)?);
    let (Some(modal), Some(modal_rate)) = (modal, modal_rate) else { return Ok(None) };
    Ok(Some(BodyState {
        position: [row.get(2)?, row.get(3)?, row.get(4)?],
        quaternion: [row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?],
        velocity: [row.get(9)?, row.get(10)?, row.get(11)?],
        angular_velocity: [row.get(12)?, row.get(13)?, row.get(14)?],
        modal,
        modal_rate,
        ..BodyState::default()
    }))
}

/// The state of a contact pair in a frame; none if a blob is too short.
pub(super) fn read_contact(row: &Row<'_>) -> rusqlite::Result<Option<ContactState>> {
    let faces = blob::to_u32(&row.get::<_, Vec<u8>>(7)?);
    let pressures = blob::to_f64(&row.get::<_, Vec<u8>>(8)?);
    let (Some(pressure_faces), Some(pressures)) = (faces, pressures) else { return Ok(None) };
    if pressure_faces.len() != pressures.len() {
        return Ok(None);
    }
    Ok(Some(ContactState {
        force: [row.get(2)?, row.get(3)?, row.get(4)?],
        normal_force: row.get(5)?,
        free_gap: row.get::<_, Option<f64>>(6)?.unwrap_or(f64::INFINITY),
        pressure_faces,
        pressures,
        ..ContactState::default()
    }))
}

/// A vector scaled to length 1; a zero vector is unchanged.
fn direction(vector: [f64; 3]) -> [f64; 3] {
    let size = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if size > 0.0 { vector.map(|x| x / size) } else { vector }
}

/// A contact event.
pub(super) fn read_event(row: &Row<'_>) -> rusqlite::Result<ContactEvent> {
    let peak: Option<f64> = row.get(5)?;
    let impulse = [row.get(7)?, row.get(8)?, row.get(9)?];
    let event = ContactEvent {
        pair: row.get::<_, i64>(1)? as usize,
        start: row.get(2)?,
        end: row.get(3)?,
        open: row.get(4)?,
        impulsive: peak.is_none(),
        peak_force: peak.unwrap_or_default(),
        peak_time: row.get::<_, Option<f64>>(6)?.unwrap_or_default(),
        impulse,
        velocity_before: row.get(10)?,
        velocity_after: row.get(11)?,
        max_approach: row.get(12)?,
        vibration_energy: row.get(13)?,
        sub_impacts: row.get(14)?,
        // Before version 1.3 velocities are those along the impulse.
        normal: direction(impulse),
        ..ContactEvent::default()
    };
    if row.as_ref().column_count() <= 15 {
        return Ok(event);
    }
    // Since version 1.7.
    let body =
        |i: usize| if i < row.as_ref().column_count() { row.get::<_, Option<i64>>(i) } else { Ok(None) };
    let bodies = body(33)?.zip(body(34)?).map(|(first, second)| [first as usize, second as usize]);
    let vector = |i: usize| Ok::<_, rusqlite::Error>([row.get(i)?, row.get(i + 1)?, row.get(i + 2)?]);
    Ok(ContactEvent {
        normal: vector(15)?,
        place: vector(18)?,
        slip_before: vector(21)?,
        slip_after: vector(24)?,
        own_before: [row.get(27)?, row.get(28)?],
        own_after: [row.get(29)?, row.get(30)?],
        vibration_before: row.get(31)?,
        other_impulse: row.get(32)?,
        bodies,
        ..event
    })
}
