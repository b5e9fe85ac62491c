//! Properties of a model on which a script for another multibody code relies (docs/exudyn.md).

use std::path::Path;

use crate::bar::{folder_with_bar, reduce};
use assert_cmd::Command;
use carom_testing::machine::python;
use carom_testing::program::printed;

/// Runs `script` in a folder with `bar.rom`, whose ends are rigid markers; without NumPy nothing is tested.
fn with_numpy(script: &str) {
    let Some(python) = python("numpy") else { return };
    let folder = folder_with_bar();
    reduce(
        folder.path(),
        "craig-bampton bar.npz -o ends.rom --attach west=rigid --attach east=rigid --modes 8 --fields full \
         --json",
    );
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/double-pendulum");
    let output = Command::new(&python)
        .args(["-B", "-c", script])
        .env("PYTHONPATH", scripts)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
}

/// Constants that Exudyn would compute from the mass matrix of a mesh, by the modes at the points of the
/// body.
#[test]
fn constants_for_exudyn_belong_to_one_mass_distribution() {
    with_numpy(
        "
import numpy as np
from in_exudyn import Model, skew

model = Model('ends.rom')
n = model.n
assert n == 14, n
# φ̃_kᵀ φ̃_l = φ_k·φ_l − φ_l φ_kᵀ: its trace is that of the mass twice over, its skew part φ_k × φ_l.
blocks = model.inertia_2.reshape(n, 3, n, 3)
assert np.allclose(np.einsum('kala->kl', blocks), 2 * model.mass_modal, atol=1e-12)
crossed = model.coupling_r1.reshape(n, 3, n)  # [l, a, k]: φ_l × φ_k
assert np.allclose(crossed, -crossed.transpose(2, 1, 0), atol=1e-12)
for k in range(n):
    for l in range(n):
        block = blocks[k, :, l, :]
        skew_part = 0.5 * np.array([block[2, 1] - block[1, 2], block[0, 2] - block[2, 0], block[1, 0] - \
        block[0, 1]])
        assert np.allclose(skew_part, 0.5 * crossed[l, :, k], atol=1e-12), (k, l)
# The same for R and φ_k, and for R alone.
for k in range(n):
    block = model.inertia_1[3 * k : 3 * k + 3]
    skew_part = np.array([block[2, 1] - block[1, 2], block[0, 2] - block[2, 0], block[1, 0] - block[0, 1]])
    assert np.allclose(skew_part, -model.coupling_r0[:, k], atol=1e-12), k
assert abs(model.mass - 7800 * 0.12 * 0.02 * 0.03) < 1e-9
assert np.allclose(model.inertia, model.inertia.T) and np.linalg.eigvalsh(model.inertia)[0] > 0
# Frequencies are those of M̄ and K̄, none of them that of a rigid motion.
omega = np.sqrt(np.linalg.eigvals(np.linalg.solve(model.mass_modal, model.stiffness_modal)).real)
assert np.allclose(np.sort(omega), model.omega, rtol=1e-10) and model.omega[0] > 1e3
",
    );
}

/// A rigid motion of the points of a marker fits them to rounding, and is that of the marker.
#[test]
fn points_of_a_marker_move_and_rotate_with_its_set() {
    with_numpy(
        "
import numpy as np
from in_exudyn import Model, skew

model = Model('ends.rom')
rom = np.load('ends.rom')
positions, modes, numbers = model.points()
assert list(model.markers) == ['west', 'east'] and len(positions) == 12 and modes.shape == (36, model.n)
q = np.linspace(1.0, 2.0, model.n) * 1e-4
moved = (modes @ q).reshape(-1, 3)
at = rom['fields_positions']
field = (rom['fields_modes'][:, : model.n] @ q).reshape(-1, 3)
for name, (position, translation, rotation) in model.markers.items():
    mine = np.array(numbers[name])
    arms = positions[mine] - positions[mine].mean(axis=0)
    assert np.allclose(positions[mine].mean(axis=0), position, atol=1e-15)
    assert np.allclose(moved[mine].mean(axis=0), translation @ q, atol=1e-15)
    # The best rotation of the points, as a code finds it that knows nothing of markers.
    spread = sum(skew(arm).T @ skew(arm) for arm in arms)
    turn = np.linalg.solve(spread, sum(np.cross(arm, u) for arm, u in zip(arms, moved[mine])))
    assert np.allclose(turn, rotation @ q, rtol=1e-10)
    # The points of the body in that end face move so, too.
    x = 0.0 if name == 'west' else 0.12
    face = abs(at[:, 0] + rom['com'][0] - x) < 1e-9
    rigid = translation @ q + np.cross(rotation @ q, at[face] - position)
    assert face.sum() == 9 and np.allclose(field[face], rigid, atol=1e-9 * abs(field).max()), name
",
    );
}
