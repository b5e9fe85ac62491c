//! Surface points of an unreduced body: its nodes.

use carom_contact::points::{PointForce, Response, SurfacePoints};

/// Surface points X + u that are nodes of a body.
///
/// The coordinates are the displacements u of all nodes of the body, three numbers each, in the frame of the
/// reference positions X; velocities and forces have the same form. With the lumped masses of an explicit
/// scheme ([`NodalPoints::with_masses`]) impulses on the points give changes of velocities.
#[derive(Debug, Clone, PartialEq)]
pub struct NodalPoints {
    /// Numbers of the nodes that are points.
    nodes: Vec<u32>,
    /// Reference positions of these nodes, three numbers each \[m\].
    reference: Vec<f64>,
    /// Number of nodes of the body.
    n_nodes: usize,
    /// 1/m of each of these nodes, if the mass is lumped \[1/kg\].
    inverse_mass: Option<Vec<f64>>,
}

impl NodalPoints {
    /// Nodes of a body.
    ///
    /// * `nodes` — numbers of the nodes
    /// * `positions` — reference positions of all nodes of the body \[m\]
    pub fn new(nodes: Vec<u32>, positions: &[[f64; 3]]) -> Self {
        let reference = nodes.iter().flat_map(|&node| positions[node as usize]).collect();
        Self { nodes, reference, n_nodes: positions.len(), inverse_mass: None }
    }

    /// The same nodes with a lumped mass.
    ///
    /// * `masses` — of all nodes of the body \[kg\]; infinite for a node that is held
    pub fn with_masses(self, masses: &[f64]) -> Self {
        let inverse = self.nodes.iter().map(|&node| masses[node as usize].recip()).collect();
        Self { inverse_mass: Some(inverse), ..self }
    }

    /// Numbers of the nodes.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The coordinates of each point and the place of these among those of the body.
    fn dofs(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.nodes.iter().map(|&node| 3 * node as usize..3 * node as usize + 3)
    }
}

impl SurfacePoints for NodalPoints {
    fn n_points(&self) -> usize {
        self.nodes.len()
    }

    fn n_coordinates(&self) -> usize {
        3 * self.n_nodes
    }

    fn positions_into(&self, q: &[f64], positions: &mut [f64]) {
        positions.copy_from_slice(&self.reference);
        for (position, dofs) in positions.chunks_exact_mut(3).zip(self.dofs()) {
            position.iter_mut().zip(&q[dofs]).for_each(|(x, u)| *x += u);
        }
    }

    fn velocities_into(&self, _q: &[f64], v: &[f64], velocities: &mut [f64]) {
        for (velocity, dofs) in velocities.chunks_exact_mut(3).zip(self.dofs()) {
            velocity.copy_from_slice(&v[dofs]);
        }
    }

    fn add_forces(&self, _q: &[f64], forces: &[f64], generalised: &mut [f64]) {
        for (force, dofs) in forces.chunks_exact(3).zip(self.dofs()) {
            generalised[dofs].iter_mut().zip(force).for_each(|(sum, f)| *sum += f);
        }
    }

    fn add_point_forces(&self, _q: &[f64], forces: &[PointForce], generalised: &mut [f64]) {
        for (point, force) in forces {
            let start = 3 * self.nodes[*point as usize] as usize;
            generalised[start..start + 3].iter_mut().zip(force).for_each(|(sum, f)| *sum += f);
        }
    }

    /// The inverse mass is known if the mass is lumped. The compliance is that of the whole body, which its
    /// stiffness has.
    fn add_response(
        &self,
        response: Response,
        _q: &[f64],
        forces: &[PointForce],
        motion: &mut [f64],
    ) -> bool {
        let (Response::InverseMass, Some(inverse_mass)) = (response, &self.inverse_mass) else {
            return false;
        };
        for (point, force) in forces {
            let point = *point as usize;
            (0..3).for_each(|d| motion[3 * point + d] += inverse_mass[point] * force[d]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use carom_contact::points::response_of_rows;

    use super::*;

    fn points() -> NodalPoints {
        let positions: Vec<[f64; 3]> = (0..4).map(|k| [f64::from(k), 0.5, -f64::from(k)]).collect();
        NodalPoints::new(vec![1, 3], &positions).with_masses(&[9.0, 2.0, 9.0, 4.0])
    }

    #[test]
    fn positions_are_those_of_the_displaced_nodes() {
        let q: Vec<f64> = (0..12).map(|k| 0.25 * f64::from(k)).collect();
        let mut x = [0.0; 6];
        points().positions_into(&q, &mut x);
        assert_eq!(x, [1.75, 1.5, 0.25, 5.25, 3.0, -0.25]);
    }

    #[test]
    fn forces_have_the_same_power_on_points_and_nodes() {
        let (points, f) = (points(), [2.0, -1.0, 0.5, 0.25, 1.5, -0.75]);
        let rates: Vec<f64> = (0..12).map(|k| f64::from(k * k)).collect();
        let (mut v, mut all, mut few) = ([0.0; 6], [0.0; 12], [0.0; 12]);
        points.velocities_into(&[], &rates, &mut v);
        points.add_forces(&[], &f, &mut all);
        points.add_point_forces(&[], &[(0, [2.0, -1.0, 0.5]), (1, [0.25, 1.5, -0.75])], &mut few);
        assert_eq!(all, few);
        let power = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert_eq!(power(&f, &v), power(&all, &rates));
    }

    /// Two nodes of 2 kg and 4 kg, one row between them: an impulse λ on both separates them at λ (1/2 +
    /// 1/4).
    #[test]
    fn the_inverse_mass_of_a_row_is_the_sum_over_its_nodes() {
        let points = points();
        let row: &[PointForce] = &[(0, [0.0, 0.6, 0.8]), (1, [0.0, -0.6, -0.8])];
        let mut room = [0.0; 6];
        let mut response =
            |points: &NodalPoints, of| response_of_rows(points, of, &[], [row, row], &mut room);
        assert!((response(&points, Response::InverseMass).unwrap() - 0.75).abs() < 1e-15);
        assert_eq!(response(&points, Response::Compliance), None);
        let consistent = NodalPoints { inverse_mass: None, ..points };
        assert_eq!(response(&consistent, Response::InverseMass), None);
    }
}
