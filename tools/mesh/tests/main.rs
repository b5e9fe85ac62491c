//! The integration tests of `carom-tool-mesh`: one program with one module in each file.

mod commands;
mod inputs;
mod kinds;
mod mesher;
mod meshio;
mod program;
mod progress;
mod shapes;
