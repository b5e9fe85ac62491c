//! Curves of several quantities or of several results in one plot.

use carom_dynamics::BodyState;
use carom_fem::Discretisation;
use carom_report::{Axis, Drawing, Plot, Series, Style};
use nalgebra::Vector3;

use crate::plot::{Course, Quantity, draw};
use crate::time::time_axis;
use crate::{Run, RunError, steps};

/// A motion of the points of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetMotion {
    /// Mean displacement since the start of the run, inertial axes.
    Displacement,
    /// Mean velocity, inertial axes.
    Velocity,
}

/// One curve.
struct Curve {
    label: String,
    values: Vec<f64>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Draws quantities of results. One quantity of one result is [`draw`]; several are curves in one plot, those
/// of later results dashed.
///
/// # Errors
///
/// [`RunError`] as for [`draw`], and [`RunError::NoCurves`] for quantities that have no common axis.
///
/// # Panics
///
/// If there is no result.
pub fn draw_all(runs: &[Run], quantities: &[Quantity]) -> Result<Drawing, RunError> {
    if let ([run], [quantity]) = (runs, quantities)
        && !matches!(quantity, Quantity::Set { .. })
    {
        return draw(run, quantity);
    }
    let first = runs.first().expect("there is a result");
    let names = names(runs);
    let mut plot: Option<Plot> = None;
    for (number, run) in runs.iter().enumerate() {
        run.check_frames()?;
        for quantity in quantities {
            let (axis, curves) = curves(run, quantity)?;
            let plot = match &mut plot {
                Some(plot) if plot.y.label == axis.label && plot.y.unit == axis.unit => plot,
                Some(plot) => {
                    let [one, other] = [plot.y.label.clone(), axis.label];
                    return Err(RunError::NoCurves(format!(
                        "{one} and {other} have no axis in common; draw them one by one"
                    )));
                }
                None => {
                    let mut title: Vec<char> = axis.label.chars().collect();
                    title[0].make_ascii_uppercase();
                    let title: String = title.into_iter().collect();
                    plot.insert(Plot::new(&title, time_axis(first)?, axis))
                }
            };
            for Curve { label, values } in curves {
                let label = if runs.len() > 1 { format!("{}: {label}", names[number]) } else { label };
                let series = Series::line(&label, run.times().to_vec(), values);
                let style = if number == 0 { series } else { series.styled(Style::Dashed) };
                plot.series.push(style);
            }
        }
    }
    Ok(plot.expect("there is a quantity").draw())
}

/// Names of the results: their files, or their folders if files have the same name.
fn names(runs: &[Run]) -> Vec<String> {
    let files: Vec<String> = runs.iter().map(Run::name).collect();
    let is_clear = (0..files.len()).all(|i| !files[..i].contains(&files[i]));
    let folder = |run: &Run| {
        let folder = run.reader().path().parent().and_then(|folder| folder.file_name());
        folder.map_or_else(|| run.name(), |name| name.to_string_lossy().into_owned())
    };
    if is_clear { files } else { runs.iter().map(folder).collect() }
}

/// The curves of a quantity with its axis.
fn curves(run: &Run, quantity: &Quantity) -> Result<(Axis, Vec<Curve>), RunError> {
    match quantity {
        Quantity::ContactForce => {
            let pairs = run.header().pairs.iter().zip(run.normal_forces()?);
            let curves =
                pairs.map(|(pair, forces)| Curve { label: pair.name.clone(), values: forces.clone() });
            Ok((Axis::new("contact force", "N"), curves.collect()))
        }
        Quantity::Steps => {
            let values = steps::lengths(run)?;
            Ok((steps::axis(), vec![Curve { label: "mean step between frames".to_owned(), values }]))
        }
        Quantity::Position(body) => of_body(run, body, Course::Position),
        Quantity::Velocity(body) => of_body(run, body, Course::Velocity),
        Quantity::AngularVelocity(body) => of_body(run, body, Course::AngularVelocity),
        Quantity::Set { motion, body, set, axis } => of_set(run, *motion, [body, set], *axis),
        _ => Err(RunError::NoCurves(
            "energy, momentum, gap, pressure, joints and probes are drawn one at a time, of one result"
                .to_owned(),
        )),
    }
}

fn of_body(run: &Run, name: &str, course: Course) -> Result<(Axis, Vec<Curve>), RunError> {
    let body = run.body_index(name)?;
    let values = of_frames(run, body, |state| course.of(state))?;
    Ok((course.axis(), labelled(name, values)))
}

/// Mean motion of the points of a set in all frames \[m\] or \[m/s\].
///
/// * `names` — body and set
///
/// # Errors
///
/// [`RunError`] if the body has no such set, or the result keeps no motion of its points.
pub fn motion_of_set(
    run: &Run,
    motion: SetMotion,
    [name, set]: [&str; 2],
) -> Result<Vec<[f64; 3]>, RunError> {
    let index = run.body_index(name)?;
    let body = run.load_body(index)?;
    if !body.meta.rigid && !body.meta.is_unreduced() && body.fields.is_none() {
        return Err(RunError::NoCurves(format!(
            "the model of `{name}` keeps no modes for pictures, so that the motion of its points is not \
             known; reduce it with `--fields surface`"
        )));
    }
    if motion == SetMotion::Velocity && body.meta.is_unreduced() && !run.header().frames.velocities {
        return Err(RunError::NoCurves(
            "the frames keep no velocities of points: name `velocity` in `[output] frame_fields` and run the \
             scenario again"
                .to_owned(),
        ));
    }
    let inconsistent = |why: String| RunError::Inconsistent { body: name.to_owned(), why };
    let discretisation = Discretisation::new(&body.body).map_err(|error| inconsistent(error.to_string()))?;
    let points = body.body.points_of_set(&discretisation, set);
    let points = points.map_err(|error| RunError::NoCurves(error.to_string()))?;
    let origin = Vector3::from(body.meta.frame_origin);
    let places: Vec<Vector3<f64>> =
        points.iter().map(|&point| Vector3::from(discretisation.points[point as usize]) - origin).collect();
    let of_points = |values: &[f64]| -> Vec<[f64; 3]> {
        let all = body.elastic_displacement(values);
        points.iter().map(|&point| all[point as usize]).collect()
    };
    let first = run.reader().frame(0)?;
    let initial =
        first.bodies.get(index).ok_or_else(|| inconsistent("the first frame lacks it".to_owned()))?;
    let initial = initial.pose();
    let of_state = |state: &BodyState| -> [f64; 3] {
        let elastic = of_points(&state.modal);
        let vectors = match motion {
            SetMotion::Displacement => state.pose().displacements(&initial, &places, &elastic),
            SetMotion::Velocity => state.point_velocities(&places, &elastic, &of_points(&state.modal_rate)),
        };
        let sum: Vector3<f64> = vectors.iter().map(|vector| Vector3::from(*vector)).sum();
        (sum / vectors.len().max(1) as f64).into()
    };
    of_frames(run, index, of_state)
}

fn of_set(
    run: &Run,
    motion: SetMotion,
    names: [&str; 2],
    axis: Option<usize>,
) -> Result<(Axis, Vec<Curve>), RunError> {
    let curves = labelled(&names.join(":"), motion_of_set(run, motion, names)?);
    let wanted = (0..).zip(curves).filter(|(d, _)| axis.is_none_or(|axis| axis == *d));
    let axis = match motion {
        SetMotion::Displacement => Axis::new("displacement", "m"),
        SetMotion::Velocity => Axis::new("velocity", "m/s"),
    };
    Ok((axis, wanted.map(|(_, curve)| curve).collect()))
}

/// A vector of a body in all frames, which are read one at a time.
fn of_frames(
    run: &Run,
    body: usize,
    of_state: impl Fn(&BodyState) -> [f64; 3],
) -> Result<Vec<[f64; 3]>, RunError> {
    let of_frame = |number: usize| -> Result<[f64; 3], RunError> {
        let frame = run.reader().frame(number)?;
        Ok(frame.bodies.get(body).map_or([f64::NAN; 3], &of_state))
    };
    (0..run.times().len()).map(of_frame).collect()
}

fn labelled(name: &str, values: Vec<[f64; 3]>) -> Vec<Curve> {
    let curve = |d: usize| Curve {
        label: format!("{name} {}", AXES[d]),
        values: values.iter().map(|value| value[d]).collect(),
    };
    (0..3).map(curve).collect()
}

/// A quantity `displacement:BODY:SET` or `velocity:BODY:SET`, with `:x`, `:y` or `:z` for one component.
pub(crate) fn parse_set(word: &str, of: &str) -> Option<Result<Quantity, String>> {
    let motion = match word {
        "displacement" => SetMotion::Displacement,
        "velocity" => SetMotion::Velocity,
        _ => return None,
    };
    let parts: Vec<&str> = of.split(':').collect();
    let (body, set, axis) = match parts[..] {
        [body, set] => (body, set, None),
        [body, set, axis] => match AXES.iter().position(|name| *name == axis) {
            Some(axis) => (body, set, Some(axis)),
            None => return Some(Err(format!("`{axis}` is not a component: x, y or z"))),
        },
        _ if motion == SetMotion::Displacement => {
            return Some(Err("needs a body and a set: `displacement:BODY:SET`".to_owned()));
        }
        _ => return None,
    };
    Some(Ok(Quantity::Set { motion, body: body.to_owned(), set: set.to_owned(), axis }))
}
