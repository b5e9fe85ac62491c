//! Degrees of freedom that supports hold.

use carom_fem::{Body, Discretisation};

use super::super::SetupError;
use super::super::problem::Problem;
use super::Held;

/// The dofs that supports hold, ascending.
pub(crate) fn held(
    problem: &Problem,
    number: usize,
    body: &Body,
    discretisation: &Discretisation,
    end_time: f64,
) -> Result<Vec<Held>, SetupError> {
    let mut owners: Vec<Option<usize>> = vec![None; 3 * discretisation.n_points()];
    let supports = problem.supports.iter().enumerate().filter(|(_, support)| support.body == number);
    for (k, support) in supports {
        for point in body.points_of_set(discretisation, &support.set)? {
            for d in (0..3).filter(|&d| support.directions[d]) {
                let owner = &mut owners[3 * point as usize + d];
                match *owner {
                    Some(other) if problem.supports[other].displacement[d] != support.displacement[d] => {
                        return Err(SetupError::SupportsDiffer {
                            body: body.name.clone(),
                            first: problem.supports[other].set.clone(),
                            second: support.set.clone(),
                            direction: ['x', 'y', 'z'][d],
                        });
                    }
                    Some(_) => {}
                    None => *owner = Some(k),
                }
            }
        }
    }
    let of_dof = |(dof, owner): (usize, Option<usize>)| {
        let velocity = problem.supports[owner?].displacement[dof % 3] / end_time;
        Some(Held { dof: dof as u32, velocity })
    };
    Ok(owners.into_iter().enumerate().filter_map(of_dof).collect())
}

/// The rotations that supports hold, three a point, ascending.
pub(super) fn held_rotations(
    problem: &Problem,
    number: usize,
    body: &Body,
    discretisation: &Discretisation,
) -> Result<Vec<u32>, SetupError> {
    let mut held = Vec::new();
    let supports = problem.supports.iter().filter(|support| support.body == number);
    for support in supports.filter(|support| support.rotations.contains(&true)) {
        if !discretisation.is_structural() {
            let (body, set) = (body.name.clone(), support.set.clone());
            return Err(SetupError::RotationOfSolid { body, set });
        }
        for point in body.points_of_set(discretisation, &support.set)? {
            held.extend((0..3).filter(|&d| support.rotations[d as usize]).map(|d| 3 * point + d));
        }
    }
    held.sort_unstable();
    held.dedup();
    Ok(held)
}
