"""Tables of results as pandas frames. Columns have the keys of `carom-post table --csv`; `attrs["units"]` has units."""

import numpy as np

from .errors import needs

#: Limits of a coefficient of restitution, as the programs have them: round-off of a velocity relative to the
#: approach, momentum by other forces relative to the impulse, vibration before relative to the energy of the
#: approach.
ROUND_OFF, OTHER_FORCES, VIBRATION = 1e-6, 0.05, 0.1

AXES = ("x", "y", "z")


def frame_of(rows, units):
    """A pandas frame of rows under the columns of `units`."""
    pandas = needs("pandas", "a table")
    table = pandas.DataFrame(rows, columns=list(units))
    table.attrs["units"] = dict(units)
    return table


def _event_name(result, row):
    if "first_body" in row.keys() and row["first_body"] is not None:
        return "/".join(result.bodies[row[key]].name for key in ("first_body", "second_body"))
    return result.pairs[row["pair"]]


def _vector(row, key):
    return np.array([row[f"{key}_{axis}"] if f"{key}_{axis}" in row.keys() else np.nan for axis in AXES])


def _restitution(row, impulse):
    """As docs/files.md has it: left out where more than the contact changed the velocities."""
    before, after = row["velocity_before"], row["velocity_after"]
    if row["open"] or not before < 0.0 or after < ROUND_OFF * before:
        return np.nan
    if "other_impulse" not in row.keys():
        # Results before version 1.3.
        return -after / before
    if row["other_impulse"] > OTHER_FORCES:
        return np.nan
    approach = 0.5 * (impulse @ _vector(row, "normal")) * before**2 / (after - before)
    return np.nan if row["vibration_before"] / approach > VIBRATION else -after / before


def contacts(result):
    units = {
        "pair": "", "start": "s", "end": "s", "duration": "s", "peak_force": "N", "peak_time": "s",
        "mean_force": "N", "impulse": "N s", "max_approach": "m", "velocity_before": "m/s",
        "velocity_after": "m/s", "restitution": "", "slip_speed_before": "m/s", "slip_speed_after": "m/s",
        "vibration_energy": "J", "sub_impacts": "",
    }
    rows = []
    for row in result.query('SELECT * FROM contact_event ORDER BY id'):
        impulse, duration = _vector(row, "impulse"), row["end"] - row["start"]
        size, has_peak = np.linalg.norm(impulse), row["peak_force"] is not None
        rows.append([
            _event_name(result, row), row["start"], np.nan if row["open"] else row["end"], duration,
            row["peak_force"] if has_peak else np.nan, row["peak_time"] if has_peak else np.nan,
            size / duration if duration > 0.0 and has_peak else np.nan, size, row["max_approach"],
            row["velocity_before"], row["velocity_after"], _restitution(row, impulse),
            np.linalg.norm(_vector(row, "slip_before")), np.linalg.norm(_vector(row, "slip_after")),
            row["vibration_energy"], row["sub_impacts"],
        ])
    return frame_of(rows, units)


def ledger(result):
    rows = result.query("SELECT * FROM ledger ORDER BY frame")
    keys = [row[1] for row in result.query("PRAGMA table_info(ledger)") if row[1] != "frame"]

    def unit(key):
        if key == "time":
            return "s"
        if key in ("pen_max", "f_res"):
            return {"pen_max": "m", "f_res": "N"}[key]
        if "P_" in key or key.startswith("J_"):
            return "N s"
        return "N m s" if "L_" in key or key.startswith("H_") else "J"

    units = {key: "J" if key == "D_pl" else unit(key) for key in keys}
    return frame_of([[row[key] for key in keys] for row in rows], units)


def contact_forces(result):
    columns, units = [result.times], {"time": "s"}
    grids = {}
    if result.has_table("grid_pressure"):
        for row in result.query("SELECT frame, pair, side_first, side_second, pressures FROM grid_pressure"):
            grids.setdefault(row["pair"], []).append(row)
    for pair, name in enumerate(result.pairs):
        units[name] = "N"
        columns.append(np.zeros(len(result.times)))
        for frame, force in result.query("SELECT frame, normal_force FROM contact_frame WHERE pair = ?", (pair,)):
            columns[-1][frame] = force
        if pair in grids:
            units.update({f"{name}_peak_pressure": "Pa", f"{name}_contact_radius": "m"})
            peak, radius = np.zeros((2, len(result.times)))
            for row in grids[pair]:
                pressures = np.frombuffer(row["pressures"], "<f4").astype(float)
                total, squares = pressures.sum(), (pressures**2).sum()
                if squares > 0.0:
                    peak[row["frame"]] = pressures.max()
                    # Of Hertz' pressure: a^2 = 9/(8 pi) (integral of p)^2 / integral of p^2.
                    area = row["side_first"] * row["side_second"]
                    radius[row["frame"]] = np.sqrt(9 / (8 * np.pi) * total**2 * area / squares)
            columns += [peak, radius]
    return frame_of(np.column_stack(columns), units)


def joints(result):
    names = [row[0] for row in result.query("SELECT name FROM joint ORDER BY id")]
    units = {"time": "s", "joint": ""}
    units.update({f"force_{axis}": "N" for axis in AXES})
    units.update({f"torque_{axis}": "N m" for axis in AXES})
    actions = {}
    for row in result.query("SELECT * FROM joint_action"):
        actions[row["frame"], row["joint"], row["coordinate"]] = row
    parts = []
    for coordinate, own, rate, force in (("length", "m", "m/s", "N"), ("angle", "rad", "rad/s", "N m")):
        of_kind = [row for (_, _, kind), row in actions.items() if kind == coordinate]
        for key, unit in (("value", own), ("rate", rate), ("spring", force), ("stop", force),
                          ("drive", force), ("coupling", force), ("power", "W")):
            # Results before version 1.11 have no couplings.
            if any(key in row.keys() and row[key] is not None for row in of_kind):
                parts.append((coordinate, key))
                units[coordinate if key == "value" else f"{coordinate}_{key}"] = unit
    rows = []
    for row in result.query("SELECT * FROM joint_frame ORDER BY frame, joint"):
        values = [result.times[row["frame"]], names[row["joint"]]]
        values += [row[key] for key in ("fx", "fy", "fz", "tx", "ty", "tz")]
        for coordinate, key in parts:
            action = actions.get((row["frame"], row["joint"], coordinate))
            value = None if action is None else action[key]
            values.append(np.nan if value is None else value)
        rows.append(values)
    return frame_of(rows, units)


#: Quantities of probes in the order of the programs, with their units.
PROBE_QUANTITIES = {
    "displacement": "m", "position": "m", "velocity": "m/s", "acceleration": "m/s²",
    "angular_velocity": "rad/s", "angular_acceleration": "rad/s²", "force": "N", "torque": "N m",
    "normal_force": "N", "gap": "m", "kinetic_energy": "J", "elastic_energy": "J", "potential_energy": "J",
    "momentum": "N s", "angular_momentum": "N m s", "contact_force": "N", "normal_stress": "Pa",
    "shear_stress": "Pa", "von_mises": "Pa", "section_force": "N", "section_moment": "N m",
}
#: Components of quantities of probes that are not vectors; numbers have one without a name.
PROBE_COMPONENTS = {
    "normal_force": [""], "gap": [""], "kinetic_energy": [""], "elastic_energy": [""],
    "potential_energy": [""], "von_mises": [""], "normal_stress": ["_xx", "_yy", "_zz"],
    "shear_stress": ["_xy", "_yz", "_xz"], "section_force": ["_1", "_2", "_3"],
    "section_moment": ["_1", "_2", "_3"],
}


def probe_components(quantity):
    return PROBE_COMPONENTS.get(quantity, [f"_{axis}" for axis in AXES])


def probes(result):
    found = result.query("SELECT * FROM probe ORDER BY id") if result.has_table("probe") else []
    own = [row["quantities"].split() for row in found]
    known = [key for key in PROBE_QUANTITIES if any(key in keys for keys in own)]
    units, place = {"time": "s", "probe": ""}, {}
    for key in known:
        place[key] = len(units)
        units.update({key + axis: PROBE_QUANTITIES[key] for axis in probe_components(key)})
    rows, of_probe = [], [[] for _ in found]
    sql = "SELECT probe, time, quantity, x, y, z FROM probe_value ORDER BY id"
    for probe, time, quantity, *values in result.query(sql) if found else []:
        if quantity == own[probe][0]:
            of_probe[probe].append([time, found[probe]["name"]] + [np.nan] * (len(units) - 2))
        n = len(probe_components(quantity))
        at = place[quantity]
        of_probe[probe][-1][at:at + n] = [np.nan if value is None else value for value in values[:n]]
    for samples in of_probe:
        rows += samples
    return frame_of(rows, units)
