//! Solutions with the factors of a step against those of its dense matrix.

use super::*;
use crate::alpha::SpectralRadius;
use crate::structure::{ConstraintGroup, Part};
use carom_linalg::DenseLu;

const STEP: f64 = 0.3;

/// Three bodies, one of them with two modes, in a chain that hangs on the ground; joints of one, three and
/// five rows. Entries by a formula, those of masses dominant.
fn chain() -> StepMatrix {
    let part = |velocities| Part { velocities, is_held: false };
    let group = |rows, parts, grounded| ConstraintGroup { rows, parts, grounded };
    let structure = Structure {
        parts: vec![part(0..6), part(6..14), part(14..20)],
        groups: vec![
            group(0..3, vec![0], true),
            group(3..8, vec![0, 1], false),
            group(8..9, vec![1, 2], false),
        ],
        couplings: vec![[1, 2]],
    };
    let mut matrix = StepMatrix::new(0, structure);
    let StepMatrix { mass, carried, stiffness, reactions, rows, row_rates, places, .. } = &mut matrix;
    let number = |i: usize, seed: usize| ((31 * i + 17 * seed + i * i) % 23) as f64 / 23.0 - 0.5;
    let small = [(carried, 0.1), (stiffness, 0.1), (reactions, 1.0), (rows, 0.05), (row_rates, 0.2)];
    for (seed, (tiles, size)) in small.into_iter().enumerate() {
        tiles.values.iter_mut().enumerate().for_each(|(i, x)| *x = size * number(i, seed));
    }
    for (k, part) in places.structure.parts.iter().enumerate() {
        let n = part.velocities.len();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let off = 0.2 * number(i * j + k, 7);
            mass.get_mut(k)[i * n + j] = if i == j { 2.0 + off } else { off };
        }
    }
    // Any columns will do: the matrix need not be that of a mechanism.
    let StepMatrix { reactions, columns, .. } = &mut matrix;
    columns.values.copy_from_slice(&reactions.values);
    matrix
}

fn tile<'a>(tiles: &'a Tiles, k: usize, [rows, columns]: [usize; 2]) -> impl Fn(usize, usize) -> f64 + 'a {
    assert_eq!(tiles.get(k).len(), rows * columns);
    move |i, j| tiles.get(k)[i * columns + j]
}

/// The matrix of the module's documentation.
fn dense(matrix: &StepMatrix, of: &Parameters) -> Vec<Vec<f64>> {
    let (n, m) = matrix.sizes;
    let Structure { parts, groups, .. } = &matrix.places.structure;
    let (speed, share) = (of.speed(), of.share());
    let mut out = vec![vec![0.0; n + 2 * m]; n + 2 * m];
    let (mut c_all, mut g_all, mut of_g) =
        (vec![vec![0.0; n]; n], vec![vec![0.0; n]; m], vec![vec![0.0; n]; m]);
    for (coupling, &[a, b]) in matrix.places.couplings.iter().enumerate() {
        let size = [a, b].map(|part| parts[part].velocities.len());
        let [c, k] = [&matrix.damping, &matrix.stiffness].map(|tiles| tile(tiles, coupling, size));
        let [mass, carried] = [&matrix.mass, &matrix.carried].map(|tiles| {
            move |i, j| {
                if a == b { tiles.row(a, i)[j] } else { 0.0 }
            }
        });
        for (i, j) in (0..size[0]).flat_map(|i| (0..size[1]).map(move |j| (i, j))) {
            let [row, column] = [parts[a].velocities.start + i, parts[b].velocities.start + j];
            out[row][column] = speed * (mass(i, j) - STEP * share * c(i, j)) + STEP * carried(i, j)
                - STEP * STEP * share * k(i, j);
            c_all[row][column] = c(i, j);
        }
    }
    for (at, &(group, part)) in matrix.places.incidences.iter().enumerate() {
        for (l, k) in groups[group].rows.clone().enumerate() {
            for (i, column) in parts[part].velocities.clone().enumerate() {
                let g = matrix.reactions.row(at, l)[i];
                out[n + k][column] = g + matrix.rows.row(at, l)[i];
                out[n + m + k][column] = speed * g + STEP * matrix.row_rates.row(at, l)[i];
                (g_all[k][column], of_g[k][column]) = (g, matrix.columns.row(at, l)[i]);
            }
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for k in 0..m {
        for i in 0..n {
            out[i][n + k] = g_all[k][i];
            out[i][n + m + k] = g_all[k][i] - STEP * share * dot(&c_all[i], &of_g[k]);
        }
        for l in 0..m {
            out[n + m + k][n + m + l] = dot(&g_all[k], &of_g[l]);
        }
    }
    out
}

fn assert_agrees(matrix: &mut StepMatrix, of: &Parameters) {
    let entries = dense(matrix, of);
    let right = |i: usize| (1.0 + i as f64).sin();
    let mut truth = DenseLu::default();
    assert!(truth.solve_system(entries.len(), |i, j| entries[i][j], right));
    matrix.note_damping();
    matrix.complete();
    matrix.factorise(of, STEP);
    for (i, x) in matrix.solve(right).iter().enumerate() {
        let (found, truth) = (*x, truth.x(i));
        assert!((found - truth).abs() < 1e-10 * (1.0 + truth.abs()), "{i}: {found} {truth}");
    }
}

#[test]
fn divided_and_whole_solutions_are_those_of_the_dense_matrix() {
    let of = Parameters::new(SpectralRadius::DEFAULT);
    let mut matrix = chain();
    matrix.holds_velocities = true;
    assert_agrees(&mut matrix, &of);
    assert!(matrix.factors.is_divided());
    // A damper between two bodies.
    matrix.damping.values.iter_mut().enumerate().for_each(|(i, c)| *c = -((i % 5) as f64) / 20.0);
    assert_agrees(&mut matrix, &of);
    assert!(!matrix.factors.is_divided());
    // And without.
    matrix.damping.values.fill(0.0);
    assert_agrees(&mut matrix, &of);
}

/// The index-3 form has no equations of velocities and so no impulses: damping enters P alone.
#[test]
fn a_step_without_velocity_constraints_has_no_impulses() {
    let of = Parameters::new(SpectralRadius::DEFAULT);
    let mut matrix = chain();
    matrix.damping.values.iter_mut().enumerate().for_each(|(i, c)| *c = -((i % 5) as f64) / 20.0);
    let (n, m) = matrix.sizes;
    let entries = dense(&matrix, &of);
    let right = |i: usize| if i < n + m { (1.0 + i as f64).cos() } else { 0.0 };
    let mut truth = DenseLu::default();
    assert!(truth.solve_system(n + m, |i, j| entries[i][j], right));
    matrix.note_damping();
    matrix.complete();
    matrix.factorise(&of, STEP);
    assert!(matrix.factors.is_divided());
    for (i, x) in matrix.solve(right).iter().enumerate() {
        let truth = if i < n + m { truth.x(i) } else { 0.0 };
        assert!((x - truth).abs() < 1e-10 * (1.0 + truth.abs()), "{i}: {x} {truth}");
    }
}
