use carom_testing::{json_file, numbers, shared_data};

use super::super::{Dense, Sparse};
use super::*;

#[test]
fn the_reference_problems_are_solved_or_refused_with_the_residual() {
    let Some(folder) = shared_data("contact/friction") else { return };
    let mut solver = FrictionSolver::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let json = json_file(&file.unwrap().path());
        let (name, q, friction) = (json["name"].as_str().unwrap(), numbers(&json["q"]), numbers(&json["mu"]));
        let (rows, columns) = (numbers(&json["W"]["rows"]), numbers(&json["W"]["cols"]));
        let entries: Vec<_> = rows
            .iter()
            .zip(&columns)
            .zip(numbers(&json["W"]["vals"]))
            .map(|((r, c), v)| (*r as usize, *c as usize, v))
            .collect();
        let sparse = Sparse::new(q.len(), &entries).unwrap();
        let values = (0..q.len() * q.len()).map(|k| sparse.at(k / q.len(), k % q.len())).collect();
        let dense = Dense::new(q.len(), values).unwrap();
        let dim = json["dim"].as_u64().unwrap() as usize;
        for operator in [&dense as &dyn Operator, &sparse] {
            let problem = FrictionProblem { operator, q: &q, friction: &friction, dim };
            let mut r = vec![0.0; q.len()];
            let now = std::time::Instant::now();
            let result = solver.solve(problem, &mut r, None);
            println!("{name} ({:.1} ms): {result:?}", 1e3 * now.elapsed().as_secs_f64());
            assert!(result.is_ok() || !json["solved"].as_bool().unwrap(), "{name}: {result:?}");
        }
    }
}
