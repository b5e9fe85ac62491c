"""The package against the tables and ParaView files that `carom run` wrote into the folders of CAROM_RUNS."""

import os
import shutil
import sqlite3
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import carom
import numpy as np
import pyvista

RUNS = sorted(path.parent for path in Path(os.environ["CAROM_RUNS"]).glob("*/result.carom"))


def exported(run):
    """Times, names of bodies and grids of the ParaView files."""
    series = run / "paraview" / "result.pvd"
    for entry in xml.etree.ElementTree.parse(series).iter("DataSet"):
        yield float(entry.get("timestep")), entry.get("name"), series.parent / entry.get("file")


class Tables(unittest.TestCase):
    def check(self, own, file):
        table = carom.read_table(file)
        self.assertGreater(len(table), 0, file)
        self.assertEqual(len(own), len(table), file)
        for column in table:
            self.assertEqual(own.attrs["units"][column], table.attrs["units"][column], f"{file}: {column}")
            if table[column].dtype.kind in "if":
                # Norms and sums may be rounded in another way.
                np.testing.assert_allclose(
                    own[column].to_numpy(float), table[column], rtol=1e-13, atol=0, err_msg=f"{file}: {column}")
            else:
                self.assertEqual(list(own[column]), list(table[column]), f"{file}: {column}")

    def test_tables_are_those_of_the_programs(self):
        checked = set()
        for run in RUNS:
            with carom.open_result(run) as result:
                for name, table in (("contacts", result.contacts), ("energy", result.ledger),
                                    ("momentum", result.ledger), ("contact-force", result.contact_forces),
                                    ("joints", result.joints), ("probes", result.probes)):
                    file = run / "tables" / f"{name}.csv"
                    if file.is_file() and len(file.read_text().splitlines()) > 1:
                        self.check(table(), file)
                        checked.add(name)
        self.assertEqual(checked, {"contacts", "energy", "momentum", "contact-force", "joints", "probes"})

    def test_states_at_the_end_are_those_of_the_programs(self):
        for run in RUNS:
            table = carom.read_table(run / "tables" / "bodies.csv")
            with carom.open_result(run) as result:
                self.assertEqual([body.name for body in result.bodies], list(table["name"]))
                for row in table.to_dict("records"):
                    frame = result.frame(row["name"], -1)
                    for key in ("velocity", "angular_velocity"):
                        np.testing.assert_array_equal(getattr(frame, key), [row[f"{key}_{axis}"] for axis in "xyz"])
                    np.testing.assert_allclose(frame.rotation @ frame.rotation.T, np.eye(3), atol=1e-14)

    def test_summary_and_timing_are_those_of_the_programs(self):
        for run in RUNS:
            figures = carom.summary(run)
            timing = {row["name"]: row["value"]
                      for row in carom.read_table(run / "tables" / "timing.csv").to_dict("records")}
            with carom.open_result(run) as result:
                self.assertEqual(figures["end_time"], result.times[-1])
                self.assertEqual(figures["complete"], float(result.state == "done"))
                self.assertEqual(figures["warnings"], len(result.warnings()))
                for name, value in result.timing().items():
                    self.assertEqual(value, timing[name], name)


class Grids(unittest.TestCase):
    def test_grids_are_those_of_the_paraview_files(self):
        kinds = set()
        for run in RUNS:
            with carom.open_result(run) as result:
                names = [body.name for body in result.bodies]
                files = [entry for entry in exported(run) if entry[1] in names]
                times = sorted({time for time, _, _ in files})
                for time, name, file in files:
                    if time not in (times[0], times[len(times) // 2], times[-1]):
                        continue
                    frame = result.frame_at(time)
                    self.assertEqual(result.times[frame], time)
                    self.compare(result.grid(name, frame), pyvista.read(file), f"{file}")
                    entry = result.bodies[result.body_index(name)]
                    kind = "rigid" if entry.is_rigid else "whole" if entry.is_unreduced else "reduced"
                    kinds.add((kind, result.body(name).is_nurbs))
        self.assertEqual(kinds, {("rigid", True), ("reduced", True), ("reduced", False), ("whole", False)})

    def compare(self, own, file, name):
        """Points of the file that lie on the body are points of the grid, with the same displacement."""
        points = np.arange(file.n_points)
        if "RationalWeights" in file.point_data:
            # Corners of Bezier cells; their other points are control points.
            points = np.unique(np.concatenate([cell.point_ids[:4] for cell in file.cell]))
        rest, displacement = np.asarray(file.points)[points], np.asarray(file["displacement"])[points]
        distance = np.linalg.norm(rest[:, None] - np.asarray(own.points)[None], axis=2)
        nearest, size = distance.argmin(1), np.ptp(own.points, axis=0).max()
        self.assertLess(distance.min(1).max(), 1e-6 * size, name)
        # Displacements in the file have single precision.
        scale = max(np.abs(displacement).max(), 1e-30)
        error = np.abs(np.asarray(own["displacement"])[nearest] - displacement).max()
        self.assertLess(error, 2e-7 * scale + 1e-9 * size * (scale < 1e-12), name)

    def test_a_surface_of_splines_is_exact(self):
        checked = 0
        for run in RUNS:
            with carom.open_result(run) as result:
                for body in result.bodies:
                    if body.name == "ball" and result.body("ball").is_nurbs:
                        grid, center = result.grid("ball", 0), result.frame("ball", 0).position
                        radius = np.linalg.norm(grid.points - center, axis=1)
                        self.assertLess(np.ptp(radius), 1e-15)
                        checked += 1
        self.assertGreater(checked, 0)


class Archives(unittest.TestCase):
    def test_models_have_the_orthogonality_of_their_modes(self):
        checked = 0
        for run in RUNS:
            with carom.open_result(run) as result:
                for entry in result.bodies:
                    if not entry.model_path:
                        continue
                    model = result.model(entry.name)
                    np.testing.assert_allclose(model["mass_modal"], np.eye(len(model.frequencies)), atol=1e-9)
                    omega2 = (2 * np.pi * model.frequencies) ** 2
                    np.testing.assert_allclose(np.diag(model["stiffness_modal"]), omega2, rtol=1e-9)
                    self.assertTrue(0 <= model.n_low <= len(omega2))
                    self.assertAlmostEqual(float(model["mass"]), entry.mass, delta=1e-12 * entry.mass)
                    # The points for pictures are those of the body, in the body frame.
                    body = result.body(entry.name)
                    places = body.points[model["fields_points"]] - entry.origin
                    np.testing.assert_allclose(places, model["fields_positions"], atol=1e-12)
                    checked += 1
        self.assertGreater(checked, 1)

    def test_a_changed_or_foreign_archive_is_refused_with_a_way_out(self):
        path = sorted(Path(os.environ["CAROM_RUNS"]).glob("*/bodies/*.npz"))[0]
        with tempfile.TemporaryDirectory() as folder:
            changed = Path(folder) / "changed.npz"
            with np.load(path) as arrays:
                np.savez(changed, **{**arrays, "material_density": arrays["material_density"] * 2})
            with self.assertRaisesRegex(carom.CaromError, "checksum is wrong.*check=False"):
                carom.open_body(changed)
            self.assertEqual(len(carom.open_body(changed, check=False)), len(carom.open_body(path)))
            with self.assertRaisesRegex(carom.CaromError, "has the format `carom-body`, `carom-rom` was expected"):
                carom.open_model(path)
            newer = Path(folder) / "newer.npz"
            np.savez(newer, format="carom-body", version="2.0", program="carom 9.9")
            with self.assertRaisesRegex(carom.CaromError, "version 2.0, and this package reads.*carom 9.9"):
                carom.open_body(newer)
            (Path(folder) / "text.npz").write_text("not an archive")
            for name in ("text.npz", "missing.npz"):
                with self.assertRaisesRegex(carom.CaromError, f"cannot read `.*{name}`"):
                    carom.open_body(Path(folder) / name)
        with self.assertRaisesRegex(carom.CaromError, "has no array `speed`"):
            carom.open_body(path)["speed"]

    def test_a_body_that_is_refined_locally_names_the_way_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "near.npz"
            np.savez(path, format="carom-body", version="1.2", program="carom 0.1.0", name="near", geometry="nurbs",
                     n_patches=np.uint64(1), hierarchy_n_levels=np.array([2], np.uint64))
            with self.assertRaisesRegex(carom.CaromError, "refined locally.*carom-post export"):
                carom.open_body(path).patches()

    def test_a_moved_run_finds_its_files_and_other_files_are_refused(self):
        run = next(run for run in RUNS if (run / "bodies").is_dir() and list((run / "bodies").glob("*.rom")))
        with tempfile.TemporaryDirectory() as folder:
            moved = Path(folder) / "moved"
            shutil.copytree(run, moved)
            database = sqlite3.connect(moved / "result.carom")
            database.execute("UPDATE body SET body_path = '/nowhere/' || name || '.npz' WHERE body_path <> ''")
            database.commit()
            database.close()
            with carom.open_result(moved) as result:
                name = next(body.name for body in result.bodies if body.model_path)
                result.grid(name)
                file = moved / "bodies" / f"{name}.npz"
                file.unlink()
                with self.assertRaisesRegex(carom.CaromError, f"body `{name}` of .* is missing"):
                    result.grid(name)
                other = next(path for path in (moved / "bodies").glob("*.npz"))
                shutil.copy(other, file)
                with self.assertRaisesRegex(carom.CaromError, "is not the file that the run used"):
                    result.grid(name)

    def test_results_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(carom.CaromError, "there is no result"):
                carom.open_result(folder)
            text = Path(folder) / "result.carom"
            text.write_text("not a database, but long enough to be read as one " * 10)
            with self.assertRaisesRegex(carom.CaromError, "is not a result of carom"):
                carom.open_result(folder)
        with carom.open_result(RUNS[0]) as result:
            with self.assertRaisesRegex(carom.CaromError, "has no body `nobody`; it has"):
                result.frame("nobody", 0)
            with self.assertRaisesRegex(carom.CaromError, "bodies, and no body 1000"):
                result.frame(1000, 0)
            for number, entry in enumerate(result.bodies):
                by_entry = result.frame(entry, -1)
                for other in (entry.name, number, number - len(result.bodies)):
                    np.testing.assert_array_equal(by_entry.position, result.frame(other, -1).position)
            with self.assertRaisesRegex(carom.CaromError, "frames, and no frame 100000"):
                result.frame(0, 100000)


class Studies(unittest.TestCase):
    def test_rows_of_parameters_are_joined_to_their_summaries(self):
        with tempfile.TemporaryDirectory() as folder:
            params = Path(folder) / "p.csv"
            params.write_text('# speeds\na.b; c.2\n1.5;"[0; 1]"\n\n;steel\n')
            self.assertEqual(carom.parameters(params), [{"a.b": 1.5, "c.2": "[0; 1]"}, {"c.2": "steel"}])
            table = carom.gather(params, [RUNS[0], RUNS[0]])
            self.assertEqual(list(table["row"]), [1, 2])
            self.assertEqual(table["a.b"][0], 1.5)
            self.assertTrue(np.isnan(table["a.b"][1]))
            self.assertEqual(table["end_time"][0], carom.summary(RUNS[0])["end_time"])
            self.assertEqual(table.attrs["units"]["end_time"], "s")
            file = Path(folder) / "study.csv"
            carom.write_table(table, file)
            again = carom.read_table(file)
            self.assertEqual(list(again), list(table))
            self.assertEqual(again["seconds"][1], table["seconds"][1])
            self.assertEqual((again.attrs["units"]["end_time"], again.attrs["units"]["a.b"]), ("s", ""))
            with self.assertRaisesRegex(carom.CaromError, "has 2 rows, and there are 1 runs"):
                carom.gather(params, [RUNS[0]])
            with self.assertRaisesRegex(carom.CaromError, "is not a summary"):
                carom.summary(params)


if __name__ == "__main__":
    unittest.main()
