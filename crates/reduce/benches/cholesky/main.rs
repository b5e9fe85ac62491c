//! The own Cholesky factorisation compared with faer's sparse one on the same matrices; decision 0008 has the
//! figures.
//!
//! ```text
//! cargo bench -p carom-reduce --bench cholesky                  # everything
//! cargo bench -p carom-reduce --bench cholesky -- conrod        # matrices with this in their name
//! ```
//!
//! A line per matrix, solver and number of threads. Times are the least of some repetitions in which the
//! solvers take turns: CPU seconds of all threads where one works, CPU / wall seconds where two do (waiting
//! threads of the pool count as work for a while). The error is |b − A x| over |A| |x|, row by row, the
//! largest; *same bits* says whether the solution is that of one thread.

mod library;
mod matrices;

use carom_linalg::ordering::nested_dissection;
use carom_linalg::{Cholesky, Symbolic};
use carom_progress::Silent;
use carom_testing::clock::{Time, timed};
use faer::{Mat, MatRef};
use rayon::{ThreadPool, ThreadPoolBuilder};

use library::Library;
use matrices::Problem;

/// Repetitions; the least time counts.
const REPETITIONS: usize = 3;

/// Right-hand sides solved at once.
const MANY: usize = 64;

/// Solvers to compare.
#[derive(Clone, Copy, PartialEq)]
enum Solver {
    Ours,
    FaerMetis,
    FaerAmd,
}

impl Solver {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "carom",
            Self::FaerMetis => "faer, METIS",
            Self::FaerAmd => "faer, AMD",
        }
    }
}

/// The cost of one solver on one matrix.
struct Cost {
    order: Time,
    factor: Time,
    solve_one: Time,
    solve_many: Time,
    factor_bytes: usize,
    /// Solution of the many right-hand sides, over free dofs.
    x: Mat<f64>,
}

impl Cost {
    /// The smaller of each time.
    fn least(self, other: Self) -> Self {
        Self {
            order: self.order.least(other.order),
            factor: self.factor.least(other.factor),
            solve_one: self.solve_one.least(other.solve_one),
            solve_many: self.solve_many.least(other.solve_many),
            ..self
        }
    }
}

fn main() {
    // Both pools live to the end, because CPU seconds include only threads that live.
    let pools =
        [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("the machine has threads"));
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, make) in matrices::all() {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            match make() {
                Some(problem) => compare(name, &problem, &pools),
                None => println!("{name}: the mesh is not on this machine\n"),
            }
        }
    }
}

/// Measures all solvers on one matrix and prints the lines of the table.
fn compare(name: &str, problem: &Problem, pools: &[ThreadPool]) {
    let symbolic = Symbolic::new(&problem.k.graph, problem.free.clone()).expect("METIS orders these graphs");
    println!(
        "{name}: {} free dofs, {:.3e} entries of K (lower triangle), {:.3e} of the factor, {:.3e} operations",
        problem.free.len(),
        problem.lower.n_entries() as f64,
        symbolic.factor_nonzeros() as f64,
        symbolic.flops()
    );
    println!(
        "| solver | threads | order, structure | factor | solve 1 | solve {MANY} | MB | error | same bits |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let solvers = [Solver::Ours, Solver::FaerMetis, Solver::FaerAmd];
    let mut on_one_thread: Vec<Mat<f64>> = Vec::new();
    for pool in pools {
        let threads = pool.current_num_threads();
        let costs = pool.install(|| {
            let mut costs: Vec<Option<Cost>> = solvers.iter().map(|_| None).collect();
            for _ in 0..REPETITIONS {
                for (solver, best) in solvers.iter().zip(&mut costs) {
                    let cost = problem.cost(*solver, threads);
                    *best = Some(match best.take() {
                        Some(best) => best.least(cost),
                        None => cost,
                    });
                }
            }
            costs
        });
        for (i, (solver, cost)) in solvers.iter().zip(costs.into_iter().flatten()).enumerate() {
            let same = if threads == 1 { "" } else { yes_or_no(on_one_thread[i] == cost.x) };
            println!(
                "| {} | {threads} | {} | {} | {} | {} | {:.0} | {:.0e} | {same} |",
                solver.name(),
                cost.order.printed(threads),
                cost.factor.printed(threads),
                cost.solve_one.printed(threads),
                cost.solve_many.printed(threads),
                cost.factor_bytes as f64 / 1e6,
                problem.lower.backward_error(cost.x.as_ref(), right_hand_sides(problem.free.len()).as_ref()),
            );
            if threads == 1 {
                on_one_thread.push(cost.x);
            }
        }
    }
    println!();
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// Loads on all free dofs.
fn right_hand_sides(n: usize) -> Mat<f64> {
    Mat::from_fn(n, MANY, |i, j| ((7 * i + 13 * j) % 11) as f64 - 5.0)
}

impl Problem {
    fn cost(&self, solver: Solver, threads: usize) -> Cost {
        if solver == Solver::Ours { self.ours() } else { self.library(solver, threads) }
    }

    fn ours(&self) -> Cost {
        let (symbolic, order) =
            timed(|| Symbolic::new(&self.k.graph, self.free.clone()).expect("METIS orders these graphs"));
        let factor_bytes = symbolic.factor_bytes();
        let (factor, factorising) = timed(|| {
            let mass = (self.shift > 0.0).then_some((&self.m, self.shift));
            Cholesky::with_symbolic(symbolic, &self.k, mass, &Silent)
                .expect("the matrix is positive definite")
        });
        let dofs = self.free.to_vec();
        let b = right_hand_sides(dofs.len());
        let mut x = Mat::zeros(self.k.n_dofs(), MANY);
        let scatter = |b: MatRef<'_, f64>, x: &mut Mat<f64>| {
            (0..b.ncols())
                .for_each(|j| dofs.iter().enumerate().for_each(|(i, &dof)| x[(dof, j)] = b[(i, j)]));
        };
        scatter(b.as_ref(), &mut x);
        let ((), solve_one) = timed(|| factor.solve_in_place(x.as_mut().subcols_mut(0, 1)));
        scatter(b.as_ref(), &mut x);
        let ((), solve_many) = timed(|| factor.solve_in_place(x.as_mut()));
        let x = Mat::from_fn(dofs.len(), MANY, |i, j| x[(dofs[i], j)]);
        Cost { order, factor: factorising, solve_one, solve_many, factor_bytes, x }
    }

    fn library(&self, solver: Solver, threads: usize) -> Cost {
        // The time is that of METIS alone; the order is that of our own factor, a postorder of METIS's with
        // the same fill.
        let metis = solver == Solver::FaerMetis;
        let order = metis.then(|| {
            let symbolic =
                Symbolic::new(&self.k.graph, self.free.clone()).expect("METIS orders these graphs");
            matrices::dof_order(&self.free, symbolic.order())
        });
        let weights: Vec<u8> = (0..self.free.n_nodes())
            .map(|node| self.free.of_node(node).iter().map(|&free| u8::from(free)).sum())
            .collect();
        let (library, structure) = timed(|| {
            if metis {
                nested_dissection(&self.k.graph, &weights).expect("METIS orders these graphs");
            }
            Library::new(&self.lower, order.as_deref(), threads)
        });
        let (values, factor) = timed(|| library.factorise(&self.lower));
        let mut x = right_hand_sides(self.free.len());
        let ((), solve_one) = timed(|| library.solve(&values, x.as_mut().subcols_mut(0, 1)));
        let mut x = right_hand_sides(self.free.len());
        let ((), solve_many) = timed(|| library.solve(&values, x.as_mut()));
        let factor_bytes = values.len() * size_of::<f64>();
        Cost { order: structure, factor, solve_one, solve_many, factor_bytes, x }
    }
}
