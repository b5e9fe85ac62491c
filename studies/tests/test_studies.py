"""The studies with a small scenario: Snakemake, the array script of Slurm, the driver of Dakota.

CAROM names the program, CAROM_SMALL a scenario in which a ball hits a plate.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import carom

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "studies" / "dakota"))
import driver  # noqa: E402
import fake_slurm  # noqa: E402

PARAMS = "body.ball.velocity.2,simulation.end_time\n-1.0,1e-4\n-0.5,1.6e-4\n-2.0,1e-4\n"
PAIR = "plate/ball"


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(os.environ["CAROM_SMALL"], self.folder / "small.toml")
        (self.folder / "speeds.csv").write_text(PARAMS)

    def run_in(self, *words, code=0, **variables):
        ran = subprocess.run([str(word) for word in words], cwd=self.folder, text=True, capture_output=True,
                             env={**os.environ, **variables})
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr


class Snakemake(Study):
    def setUp(self):
        super().setUp()
        (self.folder / "config.yaml").write_text(f"""
carom: {os.environ["CAROM"]}
out: out
studies:
  velocity: null
  split: null
  small: {{scenario: small.toml, params: speeds.csv, x: body.ball.velocity.2, y: peak_force.{PAIR}, power: 1.2}}
""")

    def command(self, *words):
        return [sys.executable, "-m", "snakemake", "-s", ROOT / "studies/Snakefile", "--configfile", "config.yaml",
                "--cores", "2", "--rerun-incomplete", *words]

    def test_a_killed_study_goes_on_and_a_changed_row_is_run_again(self):
        # Killed with all of its runs once the first summary is there.
        study = subprocess.Popen([str(word) for word in self.command()], cwd=self.folder, start_new_session=True,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 120
        while not list(self.folder.glob("out/small/runs/*/tables/summary.csv")):
            self.assertIsNone(study.poll(), "the study ended before it was killed")
            self.assertLess(time.monotonic(), limit, "no run has ended")
            time.sleep(0.02)
        os.killpg(study.pid, signal.SIGKILL)
        study.wait()
        self.assertFalse((self.folder / "out/small/small.csv").exists())
        models = {path: path.stat().st_mtime_ns for path in self.folder.glob("out/bodies/*.rom")}
        self.assertEqual(len(models), 1)

        self.run_in(*self.command("--unlock"))
        again = self.run_in(*self.command())
        table = carom.read_table(self.folder / "out/small/small.csv")
        self.assertEqual(list(table["complete"]), [1.0] * 3)
        self.assertEqual(list(table["body.ball.velocity.2"]), [-1.0, -0.5, -2.0])
        # The approach is the speed of the row, and a faster ball has a larger force.
        for speed, before in zip(table["body.ball.velocity.2"], table[f"velocity_before.{PAIR}"]):
            self.assertAlmostEqual(before, speed, delta=1e-9)
        force = dict(zip(table["body.ball.velocity.2"], table[f"peak_force.{PAIR}"]))
        self.assertTrue(0 < force[-0.5] < force[-1.0] < force[-2.0], force)
        self.assertIn("expected 1.2", again)
        self.assertGreater((self.folder / "out/small/small.png").stat().st_size, 10_000)
        # The example of the page, with the names of this study.
        page = (ROOT / "docs/studies.md").read_text().split("```python\n")[1].split("```")[0]
        for name, own in (("studies/velocity.csv", "speeds.csv"), ("out/studies/velocity", "out/small"),
                          ("lower/upper", PAIR), ("body.lower", "body.ball")):
            self.assertIn(name, page)
            page = page.replace(name, own)
        self.run_in(sys.executable, "-c", page, MPLBACKEND="Agg")
        self.assertTrue((self.folder / "out/forces.png").is_file())
        # Nothing that was made before the kill was made again.
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.folder.glob("out/bodies/*.rom")}, models)

        (self.folder / "speeds.csv").write_text(PARAMS.replace("-0.5", "-0.6"))
        dry = self.run_in(*self.command("-n"))
        self.assertIn("row=2", dry)
        self.assertNotIn("row=1", dry)
        self.assertIn("Nothing to be done", self.with_old_parameters())

    def with_old_parameters(self):
        (self.folder / "speeds.csv").write_text(PARAMS)
        return self.run_in(*self.command("-n"))


class Profiles(Study):
    def test_the_gallery_is_planned_by_both_profiles(self):
        """A dry run of the studies as they are, from the root of the repository."""
        for name in ("local", "slurm"):
            profile = (ROOT / f"studies/profiles/{name}/config.yaml").read_text()
            # The plugin of Slurm need not be there for a plan.
            words = [line for line in profile.splitlines() if not line.startswith("executor:")]
            (self.folder / name).mkdir()
            (self.folder / name / "config.yaml").write_text("\n".join(words) + "\n")
            for link in ("studies", "meshes"):
                if not (self.folder / link).exists():
                    (self.folder / link).symlink_to(ROOT / link)
            plan = self.run_in(sys.executable, "-m", "snakemake", "--profile", self.folder / name, "-n")
            self.assertIn("run         11", plan)
            self.assertIn("total       16", plan)


class Slurm(Study):
    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()
        self.variables = {
            **fake_slurm.variables(self.folder), "TMPDIR": str(self.folder / "tmp"), "SLURM_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "2",
            "SLURM_CPUS_PER_TASK": "2",
        }
        self.words = ["bash", ROOT / "studies/array.sbatch", "small.toml", "speeds.csv", "out", "--every", "1000"]

    def test_a_task_runs_its_row_on_the_local_disk_and_is_copied_whole(self):
        self.run_in(*self.words, **self.variables)
        run = self.folder / "out/runs/2"
        self.assertEqual(carom.summary(run)["end_time"], 1.6e-4)
        command = (self.folder / "srun").read_text()
        for words in ("--cpus-per-task=2", "--cpu-bind=cores", "-j 2", "--row 2", f"-o {self.folder / 'tmp'}"):
            self.assertIn(words, command)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        self.assertEqual([path.name for path in run.parent.iterdir()], ["2"])
        # The copy is a folder of carom run like any other: it is up to date, and its figures are found.
        again = self.run_in(*self.words, **self.variables)
        self.assertIn("solution is up to date", again)
        self.assertEqual(len(carom.open_result(run).contacts()), 1)
        self.assertIn("usage", self.run_in("bash", ROOT / "studies/array.sbatch", code=2, **self.variables))

    def test_an_array_is_one_job_for_each_row(self):
        variables = {name: self.variables[name] for name in ("PATH", "FAKE", "TMPDIR")}
        text = self.run_in("sbatch", "--array=1-3", *self.words[1:], **variables)
        self.assertIn("Submitted batch job 1", text)
        # The script as it was submitted, with what it asks for.
        script = (self.folder / "jobs/1.sh").read_text()
        self.assertEqual(script, (ROOT / "studies/array.sbatch").read_text())
        asked = (self.folder / "jobs/1.words").read_text().splitlines()
        self.assertTrue({"--array=1-3", "--nodes=1", "--ntasks=1", "--cpus-per-task=1"} <= set(asked), asked)
        self.assertEqual((self.folder / "jobs/1.state").read_text(), "COMPLETED")
        runs = sorted((self.folder / "out/runs").iterdir())
        self.assertEqual([run.name for run in runs], ["1", "2", "3"])
        self.assertEqual([carom.summary(run)["end_time"] for run in runs], [1e-4, 1.6e-4, 1e-4])
        # One model for all, and a log for each.
        self.assertEqual(len(list(self.folder.glob("out/bodies/*.rom"))), 1)
        self.assertEqual(len(list(self.folder.glob("carom-1_*.log"))), 3)

    def test_a_task_before_its_limit_of_time_keeps_its_checkpoint_and_continues(self):
        # Steps of 6 ns make the run last for seconds.
        words = [str(word) for word in [*self.words, "--set", "simulation.maximum_step=6e-9"]]
        task = subprocess.Popen(words, cwd=self.folder, env={**os.environ, **self.variables},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        limit = time.monotonic() + 60
        while not list(self.folder.glob("tmp/*/run/result.carom")):
            self.assertIsNone(task.poll(), "the run ended before it was stopped")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        task.send_signal(signal.SIGTERM)
        text = task.communicate()[0]
        self.assertEqual(task.returncode, 143, text)
        self.assertEqual((self.folder / "scancel").read_text(), "--signal=TERM 7.0\n")
        self.assertEqual((self.folder / "scontrol").read_text(), "requeue 7\n")
        with carom.open_result(self.folder / "out/runs/2") as result:
            self.assertEqual(result.state, "interrupted")
        self.assertIn("solution continued from t = ", self.run_in(*words, **self.variables))
        self.assertEqual(carom.summary(self.folder / "out/runs/2")["complete"], 1.0)

    def test_the_script_asks_for_one_node_and_a_signal_before_the_end(self):
        head = [line.removeprefix("#SBATCH ") for line in (ROOT / "studies/array.sbatch").read_text().splitlines()
                if line.startswith("#SBATCH ")]
        for option in ("--nodes=1", "--ntasks=1", "--signal=B:TERM@120", "--open-mode=append"):
            self.assertIn(option, head)


class Dakota(Study):
    RECORDED = ROOT / "studies/dakota/recorded"

    def test_both_layouts_of_a_parameters_file_are_read(self):
        """Files that Dakota 6.24 wrote for three variables: a number, a count and a word."""
        expected = {
            "variables": {"speed": "2.652393713127822e-01", "body.lower.reduce.modes": "7",
                          "body.lower.material": "titanium"},
            "functions": {"force": "1", "impulse": "1"}, "eval_id": "1",
        }
        for layout in ("standard", "aprepro"):
            text = (self.RECORDED / f"{layout}.params").read_text()
            found = driver.read_parameters(text)
            self.assertEqual({key: found[key] for key in expected}, expected, layout)
            for cut in range(1, text.count("\n") - 6):
                with self.assertRaises(driver.DriverError, msg=f"{layout}, {cut} lines"):
                    driver.read_parameters("\n".join(text.splitlines()[:cut]))
            with self.assertRaisesRegex(driver.DriverError, "line 1 is not one of a parameters file"):
                driver.read_parameters("three variables, please\n")

    def evaluate(self, *words, params=None, code=0, **variables):
        text = params or "1 variables\n-1.0 speed\n2 functions\n1 ASV_1:force\n1 ASV_2:impulse\n" \
            "1 derivative_variables\n1 DVV_1:speed\n0 analysis_components\n5 eval_id\n"
        (self.folder / "p.in").write_text(text)
        return self.run_in(
            sys.executable, ROOT / "studies/dakota/driver.py", "--scenario", "small.toml",
            "--key", "speed=body.ball.velocity.2", "--figure", f"force=peak_force.{PAIR}",
            "--figure", f"impulse=impulse.{PAIR}", *words, "p.in", "r.out", code=code, **variables)

    def test_an_evaluation_is_a_run_with_its_figures_in_the_order_of_dakota(self):
        text = (self.folder / "small.toml").read_text().replace("end_time = 4.0e-5", "end_time = 1.0e-4")
        text = text.replace('name = "plate"', 'name = "plate"\nvelocity = [0.0, 0.0, 0.0]')
        (self.folder / "small.toml").write_text(text)
        self.evaluate()
        lines = (self.folder / "r.out").read_text().splitlines()
        figures = carom.summary(self.folder / "runs/5")
        self.assertEqual([line.split()[1] for line in lines], ["force", "impulse"])
        self.assertEqual([float(line.split()[0]) for line in lines],
                         [figures[f"peak_force.{PAIR}"], figures[f"impulse.{PAIR}"]])
        self.assertAlmostEqual(figures[f"velocity_before.{PAIR}"], -1.0, delta=1e-9)
        # One response of two, two keys for a variable, one of them with a factor.
        asked = (self.folder / "p.in").read_text().replace("1 ASV_1", "0 ASV_1")
        self.evaluate("--key", "speed=body.plate.velocity.2*-0.5", params=asked)
        self.assertEqual((self.folder / "r.out").read_text().split()[1:], ["impulse"])
        self.assertAlmostEqual(carom.summary(self.folder / "runs/5")[f"velocity_before.{PAIR}"], -1.5, delta=1e-9)

    def test_failures_are_told_apart(self):
        fake = self.folder / "fake"
        fake.write_text("#!/bin/sh\nexit ${FAKE_CODE}\n")
        fake.chmod(0o755)
        text = self.evaluate("--carom", fake, FAKE_CODE="4")
        self.assertIn("the run did not converge", text)
        self.assertEqual((self.folder / "r.out").read_text(), "fail\n")
        (self.folder / "r.out").unlink()
        text = self.evaluate("--carom", fake, code=1, FAKE_CODE="143")
        self.assertIn("ended with exit code 143", text)
        text = self.evaluate("--carom", "carom-elsewhere", code=1)
        self.assertIn("the program `carom-elsewhere` is not found: add its folder to PATH", text)
        asked = (self.folder / "p.in").read_text().replace("1 ASV_1", "3 ASV_1")
        self.run_in("mkdir", "-p", "runs/5/tables")
        (self.folder / "runs/5/tables/summary.csv").write_text(f"name,value,unit\npeak_force.{PAIR},,N\n")
        text = self.evaluate("--carom", fake, params=asked, code=1, FAKE_CODE="0")
        self.assertIn("asks for a derivative of `force`", text)
        self.assertFalse((self.folder / "r.out").exists())
        # No contact: the figure is there, and has no value.
        self.assertIn("the run has no value of `peak_force", self.evaluate("--carom", fake, FAKE_CODE="0"))
        self.assertEqual((self.folder / "r.out").read_text(), "fail\n")
        text = self.evaluate("--key", "sped=x", code=1)
        self.assertIn("--key sped: Dakota has no such variable; it has speed", text)


if __name__ == "__main__":
    unittest.main()
