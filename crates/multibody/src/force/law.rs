//! Springs, dampers and stops of one coordinate.

/// Response of a law at a coordinate and its rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Response {
    /// Q, in the direction of the coordinate \[N or N m\].
    pub(crate) force: f64,
    /// Energy stored \[J\].
    pub(crate) energy: f64,
    /// Power lost, ≥ 0 \[W\].
    pub(crate) loss: f64,
}

/// A linear spring parallel to a damper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// k ≥ 0 \[N/m or N m/rad\].
    pub stiffness: f64,
    /// c ≥ 0 \[N s/m or N m s/rad\].
    pub damping: f64,
    /// u₀, at which the preload acts alone \[m or rad\].
    pub free: f64,
    /// F₀, which pulls the coordinate back for F₀ > 0 \[N or N m\].
    pub preload: f64,
}

impl Spring {
    /// No spring.
    pub const NONE: Self = Self { stiffness: 0.0, damping: 0.0, free: 0.0, preload: 0.0 };

    /// Q = −k (u − u₀) − F₀ − c u̇.
    pub(crate) fn at(&self, u: f64, rate: f64) -> Response {
        let stretch = u - self.free;
        Response {
            force: -self.stiffness * stretch - self.preload - self.damping * rate,
            energy: (0.5 * self.stiffness * stretch + self.preload) * stretch,
            loss: self.damping * rate * rate,
        }
    }
}

/// Limits of a coordinate, of finite stiffness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stops {
    /// Lowest value; −∞ for none \[m or rad\].
    pub low: f64,
    /// Highest value; ∞ for none \[m or rad\].
    pub high: f64,
    /// k > 0 \[N/m or N m/rad\].
    pub stiffness: f64,
    /// β ≥ 0 of 1 + β δ̇ \[s/m or s/rad\].
    pub damping: f64,
}

impl Stops {
    /// Distances from the lower and the upper stop; negative beyond them.
    pub(crate) fn gaps(&self, u: f64) -> [f64; 2] {
        [u - self.low, self.high - u]
    }

    /// Q = k δ (1 + β δ̇) away from the stop that is passed by δ; never towards it.
    pub(crate) fn at(&self, u: f64, rate: f64) -> Response {
        let [low, high] = self.gaps(u);
        let (depth, depth_rate, away) = match (low < 0.0, high < 0.0) {
            (true, _) => (-low, -rate, 1.0),
            (_, true) => (-high, rate, -1.0),
            _ => return Response::default(),
        };
        let elastic = self.stiffness * depth;
        let force = (elastic * (1.0 + self.damping * depth_rate)).max(0.0);
        Response { force: away * force, energy: 0.5 * elastic * depth, loss: (force - elastic) * depth_rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The power of the force is the negative of the sum of the stored and the dissipated power.
    #[test]
    fn force_is_the_derivative_of_energy_and_loss() {
        let spring = Spring { stiffness: 7.0, damping: 0.4, free: 0.3, preload: 2.0 };
        let stops = Stops { low: -0.5, high: 0.6, stiffness: 50.0, damping: 0.3 };
        let h = 1e-6;
        for (u, rate) in [(0.9, 1.3), (0.9, -1.1), (-0.8, 2.0), (-0.8, -2.0), (0.7, -5.0), (0.2, 3.0)] {
            let laws: [&dyn Fn(f64) -> Response; 2] = [&|u| spring.at(u, rate), &|u| stops.at(u, rate)];
            for law in laws {
                let Response { force, loss, .. } = law(u);
                let slope = (law(u + h).energy - law(u - h).energy) / (2.0 * h);
                assert!((force * rate + slope * rate + loss).abs() < 1e-6, "{u} {rate}");
                assert!(loss >= 0.0);
            }
        }
        // A stop does not pull on a body that leaves faster than 1/β.
        assert_eq!(stops.at(0.7, -5.0).force, 0.0);
        assert_eq!(stops.at(0.0, 9.0), Response::default());
    }
}
