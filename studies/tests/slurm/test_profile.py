"""The profile of Slurm with the plugin of Snakemake and stand-ins for the programs of Slurm.

CAROM names the program, CAROM_SMALL a scenario in which a ball hits a plate. Needs the package
snakemake-executor-plugin-slurm.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import carom

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "studies/tests"))
import fake_slurm  # noqa: E402


class Profile(unittest.TestCase):
    def test_each_run_is_a_job_with_its_threads_memory_and_time(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copy(os.environ["CAROM_SMALL"], folder / "small.toml")
        (folder / "speeds.csv").write_text("body.ball.velocity.2,simulation.end_time\n-1.0,1e-4\n-0.5,1.6e-4\n")
        (folder / "studies").symlink_to(ROOT / "studies")
        (folder / "config.yaml").write_text(f"""
carom: {os.environ["CAROM"]}
out: out
studies:
  velocity: null
  split: null
  small: {{scenario: small.toml, params: speeds.csv, x: body.ball.velocity.2, y: peak_force.plate/ball, power: 1.2}}
""")
        words = [sys.executable, "-m", "snakemake", "--profile", "studies/profiles/slurm", "--configfile", "config.yaml",
                 "--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks",
                 "1", "--latency-wait", "5", "--slurm-logdir", "logs", "--slurm-keep-successful-logs"]
        environment = {**os.environ, **fake_slurm.variables(folder)}
        ran = subprocess.run(words, cwd=folder, text=True, capture_output=True, env=environment, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        # Two runs are jobs; the table and the plot stay on the login node.
        scripts = sorted((folder / "jobs").glob("*.sh"))
        self.assertEqual(len(scripts), 2)
        for script in scripts:
            asked = script.with_suffix(".words").read_text().splitlines()
            for option in ("--parsable", "--nodes=1", "--ntasks=1", "--mem=1000", "-t=30"):
                self.assertIn(option, asked)
            self.assertIn("--allowed-rules run", script.read_text().replace("'", ""))
            self.assertEqual(script.with_suffix(".state").read_text(), "COMPLETED")
        # The task keeps to the cores that it has.
        self.assertIn("-n1 --cpu-bind=q", (folder / "srun").read_text())
        table = carom.read_table(folder / "out/small/small.csv")
        self.assertEqual(list(table["complete"]), [1.0] * 2)
        self.assertTrue((folder / "out/small/small.png").is_file())


if __name__ == "__main__":
    unittest.main()
