//! The integration tests of `carom-linalg`: one program with one module in each file.

mod bordered;
mod eigenpairs;
mod factorisation;
mod inertia;
mod iterative;
mod lattice;
mod matrix_market;
mod membrane;
mod products;
mod saddle;
mod sparse;
