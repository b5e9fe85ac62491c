//! Rigid and reduced bodies in the floating frame of reference.
