//! Contacts of rigid bodies that a run has missed, or has solved with errors.

use carom_fem::{Body, Discretisation};
use carom_rigid::{Law, System};

/// Part of the smallest extent of the moving bodies of a pair that is a deep approach for rigid bodies.
const DEEP: f64 = 0.01;

/// The doubtful contacts of the rigid bodies of a run.
pub(crate) struct Doubts {
    /// Sentences about contacts that every step has missed.
    missed: Vec<String>,
    /// Sentences about other contacts.
    others: Vec<String>,
}

impl Doubts {
    /// Finds the doubtful contacts.
    ///
    /// * `title` — a pair for the user, by its number
    /// * `extent` — smallest extent of a body of the system, by its number; none if it is not known \[m\]
    pub(crate) fn of(
        system: &System,
        title: impl Fn(usize) -> String,
        extent: impl Fn(usize) -> Option<f64>,
    ) -> Self {
        let extent_of = |pair: usize| {
            let moving = system.bodies_of_pair(pair).into_iter().filter(|&body| !system.bodies[body].fixed);
            moving.filter_map(&extent).fold(f64::INFINITY, f64::min)
        };
        let missed = system.missed().filter(|(pair, missed)| missed.depth > DEEP * extent_of(*pair));
        let missed = missed.map(|(pair, missed)| {
            format!(
                "{}: a point passed through the surface within step {}, up to {:.1e} m behind it, and was \
                 not stopped; a time_step of {:.1e} s would detect it",
                title(pair),
                missed.step,
                missed.depth,
                missed.behind
            )
        });
        let overlaps = system.reports.iter().enumerate().filter(|(_, report)| report.depth > 0.0);
        let overlaps = overlaps.filter_map(|(pair, report)| {
            let extent = extent_of(pair);
            let way_out = match system.law(pair) {
                Law::Penalty(_) => "raise the point_stiffness",
                Law::Hard => "shorten simulation.time_step",
            };
            (report.depth > DEEP * extent).then(|| {
                format!(
                    "{}: the bodies overlapped by up to {:.1e} m, {:.1} % of the smallest extent: {way_out}",
                    title(pair),
                    report.depth,
                    100.0 * report.depth / extent
                )
            })
        });
        let mut others: Vec<String> = overlaps.collect();
        let limited = system.limited();
        if limited.steps > 0 {
            others.push(format!(
                "in {} of {} steps impacts with friction would have created energy: their restitution was \
                 reduced, to no less than {:.3} of the given value",
                limited.steps,
                system.steps(),
                limited.least_factor
            ));
        }
        others.extend(system.loose().warning(system.steps()));
        if system.n_divided() > 0 {
            others.push(format!(
                "{} of {} steps had no solution and were divided: shorten simulation.time_step",
                system.n_divided(),
                system.steps()
            ));
        }
        Self { missed: missed.collect(), others }
    }

    /// Number of pairs that have missed a contact.
    pub(crate) fn missed(&self) -> u64 {
        self.missed.len() as u64
    }

    /// The sentences.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.missed.iter().chain(&self.others).cloned()
    }
}

/// Shortest side of the box around the points of a body \[m\]; none if it has no points.
pub(crate) fn smallest_extent(geometry: &Body) -> Option<f64> {
    let points = Discretisation::new(geometry).ok()?.points;
    let side = |axis: usize| {
        let [least, largest] = points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], point| {
            [a.min(point[axis]), b.max(point[axis])]
        });
        largest - least
    };
    Some((0..3).map(side).fold(f64::INFINITY, f64::min)).filter(|extent| *extent > 0.0)
}
