//! Explicit dynamics against closed forms, conserved quantities and the cases of Zywicz and Puso (1999).

mod bars;
mod motion;
mod rigid;
mod setup;
mod sliding;
