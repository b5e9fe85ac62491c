//! The numbers on which the cost of a reduction depends, found without assembling anything.

use carom_cost::{Factor, MeshCheck, Places, Reduction};
use carom_fem::coupling::node_graph;
use carom_fem::internal_force::{PointRule, PointStress};
use carom_fem::{AssemblyError, Block, Body, Discretisation, QuadratureRule};
use carom_linalg::memory::memory;
use carom_linalg::{DofSet, NodeGraph, Symbolic, Wanted};

use crate::craig_bampton::interface_spec;
use crate::error::ReduceError;
use crate::frequency_error::second_reduction;
use crate::interface::Interface;
use crate::modes::used_dofs;
use crate::options::{CraigBamptonOptions, DEFAULT_FIXED_MODES, Fields, FixedModes};
use crate::solver::{Solver, bytes_beside};
use crate::stiffening::Stiffening;

/// Dofs up to which the structure of the factor is found: its order takes some seconds for a million.
const ORDERED: usize = 1_500_000;

/// Dofs of the three points that serve a body with places alone as its interface.
const OF_THREE_POINTS: usize = 9;

/// Counts what a reduction has to compute.
///
/// * `places` — loads at places
/// * `expected` — number of modes below the frequency of [`FixedModes::UpTo`]
///
/// # Errors
///
/// [`ReduceError`], where the interface cannot be used.
pub fn reduction_cost(
    body: &Body,
    options: &CraigBamptonOptions,
    places: Places,
    expected: impl Fn(&Discretisation, f64) -> f64,
) -> Result<Reduction, ReduceError> {
    let own = counted(body, options, places, &expected)?;
    if places.alone {
        return Ok(own);
    }
    let size = [own.n_dofs, own.n_interface, own.n_modes];
    // A body that can be reduced on its mesh alone has no check.
    let finer = second_reduction(body, options, size)
        .and_then(|(finer, options)| counted(&finer.body, &options, Places::default(), &expected).ok());
    Ok(Reduction { mesh_check: finer.map(|finer| finer.as_mesh_check()).unwrap_or_default(), ..own })
}

/// Counts a reduction without the check of its mesh.
fn counted(
    body: &Body,
    options: &CraigBamptonOptions,
    places: Places,
    expected: &impl Fn(&Discretisation, f64) -> f64,
) -> Result<Reduction, ReduceError> {
    let discretisation = Discretisation::new(body)?;
    let used = used_dofs(&discretisation);
    let (free, n_interface) = if places.alone {
        (used.clone(), OF_THREE_POINTS)
    } else {
        let interface = Interface::new(body, &discretisation, interface_spec(options))?;
        (interface.boundary.interior(&used), interface.boundary.n_dofs())
    };
    let graph = node_graph(&discretisation).map_err(|source| ReduceError::Assembly {
        body: body.name.clone(),
        source: AssemblyError::Graph(source),
    })?;
    let n_modes = match options.modes {
        FixedModes::Default => DEFAULT_FIXED_MODES,
        FixedModes::Count(n) => n,
        FixedModes::UpTo(hz) => expected(&discretisation, hz).ceil() as usize,
    };
    let n_dofs = discretisation.n_dofs();
    let n_surface = || 3 * discretisation.surface(&body.boundary_faces()).points.len();
    let n_modes = n_modes.min(free.len());
    let factor = factor_of(&graph, free);
    let n_point_functions = |rule| point_functions(&discretisation, rule);
    Ok(Reduction {
        n_dofs,
        n_couplings: graph.n_entries(),
        n_point_functions: n_point_functions(options.rule.unwrap_or(QuadratureRule::Default)),
        n_error_functions: n_point_functions(QuadratureRule::Default),
        factor,
        n_interface,
        n_modes,
        places,
        n_stiffening: match options.variant.stiffening {
            true => n_stiffening(options, n_modes, places),
            false => 0,
        },
        n_field_dofs: match options.fields {
            Fields::Full => n_dofs,
            Fields::Surface => n_surface(),
            Fields::Interface => 0,
        },
        is_iterative: match options.solver.solver {
            Solver::Direct => false,
            Solver::Iterative => true,
            Solver::Auto => {
                let wanted = factor.bytes() + bytes_beside(n_dofs, n_interface, Wanted::Count(n_modes));
                memory().available.is_some_and(|available| wanted > available)
            }
        },
        mesh_check: MeshCheck::default(),
    })
}

/// Number of static responses of the geometric stiffness: to unit loads, and of a body with an interface or
/// places to the strain of each pair of motions.
fn n_stiffening(options: &CraigBamptonOptions, n_modes: usize, places: Places) -> usize {
    let of_markers = 6 * options.attachments.len();
    let of_inertia = if options.held.is_empty() { 6 } else { 12 };
    let has_points = !(options.interface_sets.is_empty() && options.interface_points.is_empty());
    let n_motions = if places.regions > 0 || has_points { n_modes + of_markers } else { 0 };
    of_inertia + of_markers + Stiffening::pairs(n_motions).count()
}

/// Sum over the cells of quadrature points times functions.
fn point_functions(discretisation: &Discretisation, rule: QuadratureRule) -> f64 {
    let of_block = |block: &Block| {
        let points = PointStress::quadrature_points(&block.cells, PointRule::Cell(rule)).len();
        (block.n_cells() * points * block.n_cell_points()) as f64
    };
    discretisation.blocks.iter().map(of_block).sum()
}

/// The structure of the factor on the free dofs; that of a compact body if it cannot be found in a moment.
pub fn factor_of(graph: &NodeGraph, free: DofSet) -> Factor {
    let n_free = free.len();
    let found = (n_free <= ORDERED).then(|| Symbolic::new(graph, free).ok()).flatten();
    found.map_or_else(
        || Factor::of(n_free),
        |symbolic| Factor { nonzeros: symbolic.factor_nonzeros() as f64, flops: symbolic.flops() },
    )
}
