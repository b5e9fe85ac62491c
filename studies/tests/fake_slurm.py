"""Stand-ins for the programs of Slurm, so that its job scripts run where there is no Slurm.

`sbatch` writes down its words and the script, checks it with `bash -n` and runs it: all tasks of an array one after
the other, as job 1, 2 and so on, at once. `squeue` lists the jobs with their states. `srun` runs its command here,
`scancel` stops it, `scontrol` and `sinfo` write down their words, `sacct` has no accounts.
"""

import os
import sys
from pathlib import Path

SRUN = """#!/bin/bash
echo "$@" >> "$FAKE/srun"
while [[ $1 == -* ]]; do shift; done
"$@" & echo $! > "$FAKE/task"; wait $!
"""
SCANCEL = '#!/bin/bash\necho "$@" >> "$FAKE/scancel"\nkill -TERM "$(cat "$FAKE/task")"\n'
# A job is listed for some minutes after its end.
SCONTROL = '#!/bin/bash\necho "$@" >> "$FAKE/scontrol"\n[[ $2 != config ]] || echo "MinJobAge = 300 sec"\n'
SINFO = '#!/bin/bash\necho "$@" >> "$FAKE/sinfo"\n'
# A cluster without accounting.
SACCT = '#!/bin/bash\necho "Slurm accounting storage is disabled" >&2\nexit 1\n'
SQUEUE = '#!/bin/bash\ncd "$FAKE/jobs" 2>/dev/null || exit 0\nfor job in *.state; do echo "${job%.state}|$(cat "$job")"; done\n'
SBATCH = '''#!{python}
import os, re, subprocess, sys
from pathlib import Path

fake = Path(os.environ["FAKE"])
jobs = fake / "jobs"
jobs.mkdir(exist_ok=True)
# Jobs that come at the same time have numbers of their own.
number = 1
while True:
    try:
        open(jobs / f"{{number}}.sh", "x").close()
        break
    except FileExistsError:
        number += 1
options, words = [], sys.argv[1:]
# Short options, and --output and so on, are followed by their value.
while words and words[0].startswith("-"):
    word = words.pop(0)
    if word not in ("--parsable", "--requeue", "--no-requeue") and "=" not in word:
        word += "=" + words.pop(0)
    options.append(word)
wrapped = [option for option in options if option.startswith("--wrap=")]
if wrapped:
    text = "#!/bin/sh\\n" + wrapped[0].removeprefix("--wrap=") + "\\n"
else:
    text = Path(words.pop(0)).read_text() if words else sys.stdin.read()
options += [line.removeprefix("#SBATCH ").strip() for line in text.splitlines() if line.startswith("#SBATCH ")]
script = jobs / f"{{number}}.sh"
script.write_text(text)
(jobs / f"{{number}}.words").write_text("\\n".join(options) + "\\n")
subprocess.run(["bash", "-n", script], check=True)
value = {{}}
for option in options:
    name, _, given = option.partition("=")
    value.setdefault(name, given)
last = re.fullmatch(r"1-(\\d+)", value.get("--array", "1-1")).group(1)
environment = {{**os.environ, "SLURM_JOB_ID": str(number),
               "SLURM_CPUS_PER_TASK": value.get("--cpus-per-task", value.get("-c", "1"))}}
code = 0
for task in range(1, int(last) + 1):
    if "--array" in value:
        environment["SLURM_ARRAY_TASK_ID"] = str(task)
    log = value.get("--output", f"slurm-{{number}}.log").replace("%A", str(number)).replace("%a", str(task))
    log = Path(log.replace("%j", str(number)))
    log.parent.mkdir(parents=True, exist_ok=True)
    shell = "bash" if "bash" in text.splitlines()[0] else "sh"
    with log.open("a") as out:
        ran = subprocess.run([shell, script, *words], env=environment, stdout=out, stderr=subprocess.STDOUT)
    code = code or ran.returncode
(jobs / f"{{number}}.end").write_text("FAILED" if code else "COMPLETED")
(jobs / f"{{number}}.end").rename(jobs / f"{{number}}.state")
print(number if "--parsable" in options else f"Submitted batch job {{number}}")
'''


def variables(folder):
    """Writes the stand-ins into a folder; the environment in which they are found."""
    folder = Path(folder)
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    programs = {"srun": SRUN, "scancel": SCANCEL, "scontrol": SCONTROL, "sinfo": SINFO, "sacct": SACCT, "squeue": SQUEUE,
                "sbatch": SBATCH.format(python=sys.executable)}
    for name, text in programs.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "FAKE": str(folder)}
