//! Errors of an interface.

use carom_fem::SetError;

use crate::support::SupportError;

/// Errors of an interface.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InterfaceError {
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A set cannot be held.
    #[error(transparent)]
    Support(#[from] SupportError),
    /// The body has several parts.
    #[error(
        "body `{body}` has {n} parts without a common node ({parts}): they would drift apart, and a model \
         describes one body. Merge their nodes if they belong together, make a body of each (of a solid of \
         a CAD file by `solid = N`) and join them in the scenario, tie them by a set that has nodes of all \
         (--attach SET=rigid), or hold each of them (--fix)"
    )]
    Parts {
        /// Name of the body.
        body: String,
        /// Number of parts.
        n: usize,
        /// The parts, with their sets.
        parts: String,
    },
    /// No interface is given.
    #[error(
        "body `{body}` has no interface: name at least one set of its surface (its sets are {known}), attach \
         one, or give a list of nodes"
    )]
    Empty {
        /// Name of the body.
        body: String,
        /// Its sets.
        known: String,
    },
    /// An interface point does not exist.
    #[error("body `{body}`: interface node {node} does not exist; its nodes are 1 to {n_points}")]
    NoSuchPoint {
        /// Name of the body.
        body: String,
        /// One-based number, as in files.
        node: u64,
        /// Number of points.
        n_points: usize,
    },
    /// An interface point belongs to no cell.
    #[error("body `{body}`: interface node {node} (counted from 1) belongs to no cell; leave it out")]
    LoosePoint {
        /// Name of the body.
        body: String,
        /// One-based number, as in files.
        node: u64,
    },
    /// The interface does not hold the body.
    #[error(
        "body `{body}`: its interface has {points}, which cannot hold the interior: fixing it leaves a rigid \
         motion; at least three points that are not on a line are needed",
        points = points(*n_points)
    )]
    FloatingInterior {
        /// Name of the body.
        body: String,
        /// Number of interface points.
        n_points: usize,
    },
    /// Every point is an interface point.
    #[error(
        "body `{body}`: all {n_points} points belong to the interface, so that no interior is left; use \
         smaller sets"
    )]
    NoInterior {
        /// Name of the body.
        body: String,
        /// Number of points.
        n_points: usize,
    },
    /// A set has no rotation.
    #[error(
        "body `{body}`: set `{set}` has {points}, which define no rotation: a marker needs a set with at \
         least three points that are not on a line; name the set as an interface instead (--interface, \
         `interface`), or use a larger one",
        points = points(*n_points)
    )]
    NoRotation {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
        /// Number of its points.
        n_points: usize,
    },
    /// A point is claimed twice.
    #[error(
        "body `{body}`: {shared} to {first} and to {second}, which cannot both prescribe the motion of a \
         node; use sets without common nodes",
        shared = shared(*node, *n_more)
    )]
    Overlap {
        /// Name of the body.
        body: String,
        /// One of the points, one-based.
        node: u64,
        /// Number of further common points.
        n_more: usize,
        /// The first set, such as: the attached set `hub`.
        first: String,
        /// The second set.
        second: String,
    },
    /// The supports leave rigid motions.
    #[error(
        "body `{body}`: holding {sets} leaves {left} of 6 rigid motions{which}, and the frame of a held body \
         does not move: hold more (--fix SET, or --fix SET=xz for some directions; `fix`), or nothing for a \
         free body, which joints of a scenario can hold: a hinge is a revolute joint at a marker (--attach)"
    )]
    StillFree {
        /// Name of the body.
        body: String,
        /// The sets, quoted.
        sets: String,
        /// Number of rigid motions that are left.
        left: usize,
        /// The motions that are left, or their part; may be empty.
        which: String,
    },
}

/// `1 point`, `4 points`.
fn points(n: usize) -> String {
    format!("{n} {}", if n == 1 { "point" } else { "points" })
}

/// The common nodes of two sets.
fn shared(node: u64, n_more: usize) -> String {
    match n_more {
        0 => format!("node {node} (counted from 1) belongs"),
        _ => format!("node {node} (counted from 1) and {n_more} more belong"),
    }
}
