//! Verification cases and their figures.

use carom_report::Drawing;

use crate::{
    Bench, BenchError, beside, bracket, cam, cam_part, chains, conserving, elements, explicit, gears,
    held_rods, impacts, local, open_contact, reference, schemes, settings, six_ways, trials, two_ways, wendt,
    zener, zywicz_puso,
};

/// A measured figure with its expected value.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name of the figure.
    pub what: String,
    /// Unit, empty for a pure number.
    pub unit: &'static str,
    /// Value found.
    pub measured: f64,
    /// Value expected; `None` for a figure that is shown without a claim.
    pub expected: Option<f64>,
    /// Largest deviation allowed: of the expected value, or, where that is 0, of the value itself.
    pub tolerance: f64,
    /// True if the expected value is the least one.
    pub is_bound: bool,
}

impl Row {
    /// A figure with a claim: within `tolerance` of `expected`, relative.
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        measured: f64,
        expected: f64,
        tolerance: f64,
    ) -> Self {
        Self { what: what.into(), unit, measured, expected: Some(expected), tolerance, is_bound: false }
    }

    /// A figure with the claim that it is not below `least`.
    pub fn at_least(what: impl Into<String>, unit: &'static str, measured: f64, least: f64) -> Self {
        Self { is_bound: true, ..Self::new(what, unit, measured, least, f64::INFINITY) }
    }

    /// A figure without a claim.
    pub fn shown(what: impl Into<String>, unit: &'static str, measured: f64) -> Self {
        Self { what: what.into(), unit, measured, expected: None, tolerance: f64::INFINITY, is_bound: false }
    }

    /// Deviation from the expected value, relative unless that is 0.
    pub fn deviation(&self) -> Option<f64> {
        let expected = self.expected?;
        Some(if expected == 0.0 { self.measured } else { self.measured / expected - 1.0 })
    }

    /// True if the deviation is within the tolerance; a figure that is not a number never is.
    pub fn holds(&self) -> bool {
        match self.deviation() {
            None => self.measured.is_finite(),
            Some(deviation) if self.is_bound => deviation >= 0.0,
            Some(deviation) => deviation.abs() <= self.tolerance,
        }
    }
}

/// Outcome of a case.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Figures.
    pub rows: Vec<Row>,
    /// Further results without claims.
    pub table: Table,
    /// Pictures: file name without extension, drawing, caption.
    pub pictures: Vec<(String, Drawing, String)>,
}

/// Cells as text; columns of numbers are right-aligned.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Names of the columns, with units; none for no table.
    pub header: Vec<&'static str>,
    /// Rows with one cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// A verification case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// Heading in the report.
    pub title: &'static str,
    /// Description of the case and the sources of the expected figures.
    pub about: &'static str,
    /// Function that runs the case.
    pub run: fn(&Bench<'_>) -> Result<Outcome, BenchError>,
}

/// All cases, in the order of the report.
pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "two-balls",
            title: "Two elastic balls",
            about: "\
                    Two equal free steel balls (R 15 mm, E 210 GPa, nu 0.3, 7780 kg/m3) meet at 0.2, 0.5 \
                    and 1 m/s; spans of a quarter of the contact radius a, zone to 1.25 a. Expected: \
                    converged finite elements of whole balls, computed independently of this project \
                    (Hertz' half-spaces are 0.7 to 1.4 % lower in force). Claim: 1 % in force, 1.5 % in \
                    duration.",
            run: impacts::two_balls,
        },
        Case {
            name: "short-rod",
            title: "Ball on a short steel rod",
            about: "\
                    A steel ball (R 15 mm, 7800 kg/m3) at 0.3 m/s on the end of a free steel rod (d 20 \
                    mm, L 400 mm). Expected: converged finite elements, computed independently of this \
                    project. Claim: 2 %.",
            run: impacts::short_rod,
        },
        Case {
            name: "open-contact",
            title: "Bodies that are described by their shapes alone",
            about: "\
                    Balls, rods, a disc and a plate without zones, reduction or number of elements: a run \
                    of the rigid bodies foresees the contact, and the program chooses places of loads, \
                    modes and cells (docs/theory/half-space.md, section 11.8). Expected: impacts of \
                    resolved meshes, of the balls and rods in whole, of the plate and the disc (R 50 mm; \
                    5 mm thick, hit at 0.5 m/s by a ball of R 7.5 mm) by a resolved far field, computed \
                    independently of this project. Claims: 1 %, 2.5 % at 3 mm from an edge of the plate; \
                    the error lies within the run's own estimate (section 11.11).",
            run: open_contact::open_contact,
        },
        Case {
            name: "beside",
            title: "Contact that does not see the mesh, beside cells that resolve it",
            about: "\
                    The same impacts twice: with cells that resolve the contact and a zone of them as \
                    interface, and with bodies that are described by their shapes alone, whose contact is \
                    on a grid of half-spaces: the ball on a rod (meshes/sphere-on-rod), two balls at 0.5 \
                    m/s, the double pendulums with fine balls (meshes/double-pendulums/impact.toml), and \
                    the cradle of five elastic balls (meshes/cradle/elastic.toml; contact of the second \
                    and the third ball, speed of the last one over that of the first). Expected: the \
                    resolved runs, and of the first two converged finite elements, computed independently \
                    of this project. Claims: 2 % of the resolved run, at less CPU time, meshing and \
                    reduction included; 2 % of Hertz' pressure and contact radius for the force of the run; \
                    1 % of the converged figures, 15 s of CPU time and 60 MB for the ball on a rod, 10 s \
                    for two balls. The balls of the cradle touch from the start: the duration of such a \
                    contact follows forces that are a millionth of the largest, and is shown. Its \
                    end is compared with that of the chain of springs of section *Newton's cradle of \
                    elastic balls*, as the cells of the resolved cradle close late and open early (there); \
                    impulse and last speed with the resolved run, as the balls of the chain do not \
                    vibrate.",
            run: beside::beside,
        },
        Case {
            name: "trials",
            title: "Contact on coarse meshes, part by part",
            about: "\
                    A steel ball hits parts of steel, most of whose cells are larger than the contact, \
                    hexahedra, tetrahedra and splines of several sizes: balls (R 15 mm, on each other), \
                    the end of a rod (d 20 mm, L 400 mm), a plate (100 x 80 x 5 mm) off its middle and \
                    near its edge, a block with bores, a gear blank and an angle bracket (meshes/parts, \
                    meshed by Gmsh), and parts of CAD programs, which are not part of the project and \
                    are left out unless CAROM_SHARED_DATA names their folder. Nothing but shapes, files \
                    and velocities is given. Expected: of balls, rod and plate impacts of resolved meshes, \
                    computed independently of this project, at 0.03 m/s by the static force of the \
                    converged ball; of other parts the case trials-resolved. Claims: 1 % for cells of the \
                    second degree and splines, 2 % for linear ones, 2.5 % at 3 mm from an edge; 95 % of \
                    the errors lie within the run's own estimates. A ball of hexahedra with edges of 0.4 R \
                    is not round, and layers of linear cells bend too stiffly: claims missed are missed \
                    there, where the runs themselves estimate errors of 6 to 20 %.",
            run: trials::trials,
        },
        Case {
            name: "trials-resolved",
            title: "Resolved impacts on the parts of CAD programs",
            about: "\
                    The impacts of the case before on parts that scripts and CAD programs draw, with \
                    cells of a quarter of the contact radius at the contact, tetrahedra of the second \
                    degree and knot spans of the ball, and a zone of them as interface; the first part \
                    with cells of a third of it as well. Expected: these runs, for the figures that the \
                    case trials compares with. Claims: 0.2 % for those, 0.5 % between both sizes of cells.",
            run: trials::resolved,
        },
        Case {
            name: "zener-plates",
            title: "A ball on plates that take its energy away",
            about: "\
                    A steel ball (R 5 mm, 0.3 m/s) hits the middle of a free steel plate (100 x 100 \
                    mm, 3 and 4 mm thick; meshes/zener-plates), whose bending waves take much of its \
                    energy away before it leaves. The scenarios name shapes and velocities alone. \
                    Expected: Zener's theory of a thin plate without end (1941), integrated here; its \
                    restitution is 0.568 and 0.725. Claims: 3 %; the theory leaves shear, rotary \
                    inertia and the edges of the plate out.",
            run: zener::plates,
        },
        Case {
            name: "own-parts",
            title: "A ball on parts that nobody prepared",
            about: "\
                    A steel ball (R 10 mm, 0.4 m/s) hits twenty steel parts that scripts draw, at \
                    three places each (meshes/parts/places.csv), by `carom run` of a scenario without \
                    any number but those of the ball: sizes of cells, modes, places of contact and end \
                    of the run are left open. Edges 1.5 and 2 mm away, plates of 2 mm, a strip of 1.5 \
                    mm, a ball in a hollow and in grooves that nearly fit it, and a pin in a bore are \
                    among them. Expected: of one place of each part, and of the hollows, the case own- \
                    parts-resolved; an error with its reason where a contact is not a small spot. The \
                    other places have no expected figures; Hertz' theory with the effective mass of \
                    the rigid bodies stands beside all. Claims: 95 % of the errors lie within the \
                    run's own estimates, and no error is above 2 % where the estimate is below; a \
                    chain takes 150 s at most, meshing included.",
            run: trials::own_parts,
        },
        Case {
            name: "own-parts-resolved",
            title: "The same places with cells that resolve the contact",
            about: "\
                    Impacts of the case before with 3.2 to 4 cells in the shorter semi-axis of the \
                    contact and a zone of them as interface. Expected: these runs, for the figures \
                    that the case own-parts compares with. Claims: 0.2 %.",
            run: trials::own_parts_resolved,
        },
        Case {
            name: "long-rod",
            title: "Ball on a long aluminium rod",
            about: "\
                    The ball (7780 kg/m3) on an aluminium rod (d 20 mm, L 1 m, E 72 GPa, nu 0.33, 2710 \
                    kg/m3). Expected: Hertz' force and a one-dimensional wave, computed here; elastic \
                    bodies should lie 1 to 2.5 % above it in force and as much below in duration, to \
                    which spans of a/4 add 1.3 % and spans of a/6 0.7 %. Claim: 5 %.",
            run: impacts::long_rod,
        },
        Case {
            name: "mesh",
            title: "Spans in the contact zone",
            about: "\
                    Two balls at 0.5 m/s with spans of a/2, a/3 and a/4. Expected: the converged figures \
                    as above. Claim: 2.5 % in force and 5.2 % in duration at a/2, 1.2 % and 2.3 % at \
                    a/3, 1 % and 1.5 % at a/4.",
            run: settings::mesh,
        },
        Case {
            name: "interface",
            title: "Size of the contact zone",
            about: "\
                    Two balls at 0.5 m/s, one mesh with spans of a/3 to 2 a, zones of 1.25 a and 1.5 a \
                    in it, whose control points are the interface. Expected: the run with a zone of 2 a. \
                    Claim: 1e-3.",
            run: settings::interface,
        },
        Case {
            name: "modes",
            title: "Number of fixed-interface modes",
            about: "\
                    Two balls at 0.5 m/s, spans of a/3, all modes quasistatic. Expected: the run with 48 \
                    fixed-interface modes. Claim: 1e-3 from 6 on, which contain the six motions of a \
                    ball on its elastic patch.",
            run: settings::modes,
        },
        Case {
            name: "penalty",
            title: "Stiffness of the penalty",
            about: "\
                    Two balls at 0.5 m/s, spans h = a/3, eps = alpha E*/h. Expected: the force without \
                    penetration (law `lagrange`), less 0.18 (h/a)/alpha of it. Computed independently of \
                    this project: at a given approach a penalty loses 0.72 (h/a)/alpha of the force. \
                    That is 3/2 delta/d with the penetration delta, which grows like F^(1/3); at a given \
                    energy 2/5 F d + 1/4 F delta the loss is 3/8 delta/d, a quarter of it. Claim: a \
                    third of that loss.",
            run: settings::penalty,
        },
        Case {
            name: "split",
            title: "Where the modes are split",
            about: "\
                    The short rod with its modes dynamic up to f_c, all others quasistatic; f_c T_c with \
                    T_c = 134.3 us. Expected: the run with the most dynamic modes. Claim: 1e-3 from f_c \
                    T_c = 2 on; none below, where the rod's wave is missing.",
            run: settings::split,
        },
        Case {
            name: "local",
            title: "Local refinement at a contact",
            about: "\
                    Two equal steel balls (R 15 mm, degree 4) pressed on each other, scheme `static`, by \
                    the force for which Hertz' contact radius is R/10; refined throughout, or \
                    hierarchically at their poles alone. p0 and a are fitted to the pressures of the \
                    faces, without use of force or theory; expected: Hertz for the force. The error \
                    falls with the size of the pressure cells in contact, as a cell at the rim carries \
                    all or nothing; cells elsewhere do not matter (4 levels on 4\u{b3} and 5 on 2\u{b3} \
                    spans have the same ones at the pole). Claim: 2 % with the finest local refinement, \
                    which has a fifth or less of the dofs of a uniform ball with the same spans at the \
                    pole.",
            run: local::local,
        },
        Case {
            name: "held-rod",
            title: "Ball on a rod that sends its wave back",
            about: "\
                    A steel ball of 71 mm at 0.3 m/s on an aluminium rod (d 10 mm, L 1 m) that is held \
                    at its far end (meshes/ball-on-held-rod), 2 ms. Expected: Hertz' force and a \
                    one-dimensional wave with its reflections, computed here: the wave comes back three \
                    times while they touch, as three more humps of the force, and strikes once more \
                    after they have separated. Claim: 5 % in the humps, 1 % in the impulse of the first \
                    touch and the speed afterwards, 20 us in times, a twentieth of a round trip; 25 % in \
                    force and impulse of the second touch, which is the small remainder of the first, a \
                    fiftieth of its impulse.",
            run: chains::held_rod,
        },
        Case {
            name: "double-pendulums",
            title: "Two double pendulums: what dynamic high modes cost",
            about: "\
                    Two double pendulums of flexible rods and balls shortly before they meet \
                    (meshes/double-pendulums/impact.toml), high modes quasistatic with and without \
                    penalty, dynamic, and dynamic with critical damping, on the same bodies. Expected: \
                    the peak force of (c) within 1 %; (c) in a tenth of the CPU time of Dormand and \
                    Prince's pair and of Radau IIA, which control the error of all modes; never slower \
                    than generalised-\u{3b1}, with fixed steps or its own; steps after the impact as \
                    large as before it.",
            run: schemes::double_pendulums,
        },
        Case {
            name: "cradle",
            title: "Newton's cradle of elastic balls",
            about: "\
                    Five equal balls of polyurethane (R 20 mm, E 100 MPa, nu 0.45) in a row that touch; \
                    the first comes with 1 m/s (meshes/cradle/elastic.toml). Expected: a chain of \
                    springs, computed here, with Hertz' force stiffened as that of whole balls is. \
                    Pressure cells of 0.28 a close late, when their average gap is zero, as if the balls \
                    lay 16 um apart. Claim: the effect of that gap in the chain, up to 3 % of the first \
                    speed, 4 % of the forces and, as the first four balls are slow, 40 % of a ball's own \
                    speed, plus 1 %.",
            run: chains::cradle,
        },
        Case {
            name: "cam",
            title: "A cam whose follower jumps",
            about: "\
                    A disc cam, a spline of degree 5, lifts a ball of polyurethane (R 5 mm) on a stem \
                    with a spring by 3 mm twice a turn (meshes/cam). Expected at 20 turns a second: the \
                    force m s'' + c s' + k s + P of a rigid pair. Claim: 3 %, as the ball is pressed in \
                    by 30 to 40 um, and rolls over its cells. Expected at 38, where that force would \
                    pull: a ball on the profile with the force of whole balls (Hertz', stiffened), \
                    computed here. Claim: 0.1 ms in the time of landing, in that of lift-off the 5 um \
                    over which cells are flat, 4 % in force, impulse and way.",
            run: cam::cam,
        },
        Case {
            name: "cam-part",
            title: "A cam from a CAD program",
            about: "\
                    The follower at 20 turns a second on a cam that was drawn in a CAD program and \
                    meshed by Gmsh (meshes/cam/cad.toml): flexible, held at its bore, triangles of \
                    second order and 3 mm on its flank. Expected: the force m s'' + c s' + k s + P of a \
                    rigid pair (3 %, as of the spline itself), and the run on the spline (0.5 %). Then \
                    rigid rings of long faces of second order, compared with a ball on Hertz' spring on \
                    profiles that lie off by as much as parabolas through three points do, computed \
                    here. Claim: 25 % of the largest ripple, as the contact, 1 to 1.5 mm long, averages \
                    over the shortest faces.",
            run: cam_part::cam_part,
        },
        Case {
            name: "gears",
            title: "Two elastic gears in mesh",
            about: "\
                    A pinion with 20 teeth drives a wheel with 30 against 20 N m \
                    (meshes/gears/flexible.toml). Both are exact solids whose teeth bend; the flanks are \
                    crowned, relieved at the tips, and touch on half-spaces. One pair of teeth carries, \
                    then two, then the next pair alone. Expected: the same lag of the wheel a pitch later \
                    (1 %); the torque over the base radius, along \
                    the line of action, turned by the relief (0.2 %, 0.07°); the lag \
                    of the wheel behind the ratio of the teeth at two angles under the force that acts \
                    then, by statics of whole bodies with cells of a quarter of the half width of the \
                    contact (3 %: what the modes leave out of the response to one pair is not felt by \
                    the other, and the wheel vibrates).",
            run: gears::gears,
        },
        Case {
            name: "held-rods",
            title: "Held rods whose high modes are quasistatic",
            about: "\
                    Steel rods (d 20 mm, L 400 mm, or two of 200 mm) under 10 kN along, 100 N across or \
                    10 N m about their end, held by joints, a support, a bushing or a drive; the load \
                    comes on in 30 ms, the deflection is read at 35 ms. Modes are dynamic up to 4, 12, \
                    30 kHz or the default split. Expected: the same run with all modes dynamic. Claim: 1 \
                    %, and an energy balance closed to 1e-6. Then the impact of \
                    meshes/double-pendulums/impact.toml, whose bodies hang in joints: the force of all \
                    modes within 0.5 % for splits of 16, 8 and 4 kHz (207.0, 207.4 and 209.0 N where \
                    high modes did not respond to joints), and its steps.",
            run: held_rods::held_rods,
        },
        Case {
            name: "bracket",
            title: "A bracket hit away from its centre of mass",
            about: "\
                    A steel ball (R 15 mm, 1 m/s) on a free bent bracket of aluminium (meshes/bracket). \
                    Expected: the motion of a rigid bracket by the impulse, which is measured; its mass \
                    and inertia are computed here. The energy that rigid bodies would lose is that of \
                    the modes, and each mode answers the force as Duhamel's integral has it. Claim: 1e-4 \
                    in velocity, 1 % in angular velocity, 2 % in the vibration.",
            run: bracket::bracket,
        },
        Case {
            name: "volumes",
            title: "Volumes of exact solids",
            about: "\
                    Volumes and centroids of the NURBS solids of `make`. Expected: closed forms. Claim: \
                    1e-12.",
            run: elements::volumes,
        },
        Case {
            name: "lamb",
            title: "Vibration of a free sphere",
            about: "\
                    The exact NURBS ball (R 1 m, E 210 GPa, nu 0.3, 7800 kg/m3), its consistent mass. \
                    Expected: Lamb (1882). Claim: 1e-4 for degree 5 with two divisions; the table has \
                    the errors of others. An exact ball needs degree 4 at least.",
            run: elements::lamb,
        },
        Case {
            name: "nafems",
            title: "Benchmarks of NAFEMS",
            about: "\
                    FV52, a plate of 10 m x 10 m x 1 m whose lower edges are held across, 4 x 4 x 1 \
                    hexahedra of 20 nodes (E 200 GPa, nu 0.3, 8000 kg/m3); LE10, a quarter of a thick \
                    elliptic plate under 1 MPa, 8 x 12 x 4 of them. Expected: other codes on the same \
                    meshes. Claim: all digits of these, 2e-6 and 0.2 %. The published figures are limits \
                    of other meshes: a line support is singular in three dimensions, so that finer \
                    meshes do not converge to that of FV52.",
            run: elements::nafems,
        },
        Case {
            name: "reference-modes",
            title: "Modes of reference meshes",
            about: "\
                    Twelve free and twelve clamped frequencies of meshes of all kinds of solid cells, \
                    steel. Expected: up to three other codes. Claim: 1e-6. The meshes are not part of \
                    the project: the case is skipped unless CAROM_SHARED_DATA names their folder.",
            run: reference::meshes,
        },
        Case {
            name: "complementarity",
            title: "Complementarity problems",
            about: "\
                    Linear complementarity problems of the literature, solved by the chain of methods \
                    from the best one to the most robust. Expected: a residual of zero; no success \
                    where no solution is known. Claim: 1e-10 of the right-hand side. The problems are \
                    not part of the project: the case is skipped unless CAROM_SHARED_DATA names their \
                    folder.",
            run: reference::complementarity,
        },
        Case {
            name: "wendt-bar",
            title: "Wendt's bar",
            about: "\
                    An elastic bar (L = 1 m, 1 kg/m3, E = 100 Pa, one row of hexahedra, nu = 0) meets a \
                    wall at 1 m/s, scheme `complementarity` (meshes/wendt-bar, Wendt 2007), steps of \
                    half the time in which a wave passes a cell. Expected: impulse and loss of linear \
                    elements along a line, computed independently of this project, and the waves: 2 N s \
                    from 0.05 to 0.25 s, 10 N. Claim: the digits of these figures, three cells in the \
                    time, and energy that never rises; 1 % of the impulse with redistributed mass.",
            run: wendt::bar,
        },
        Case {
            name: "turning-bar",
            title: "A bar that turns, in linear theory and in floating frames",
            about: "\
                    A ball of soft plastic (R 15 mm, E 100 MPa, nu 0.3, 1200 kg/m3) meets a free bar of \
                    200 mm x 30 mm x 30 mm at 1 m/s, 60 mm from its middle; the bar turns with 0, 20 and \
                    80 rad/s for 0.4 ms before. Linear whole bodies in the scheme `complementarity` \
                    (meshes/wendt-bar/turning.toml) and the same meshes, reduced, in floating frames \
                    without penetration (`quasistatic`, turning-reduced.toml; `dynamic` has penalties \
                    alone), and with a ball of few cells in `energy-momentum`. Expected: these. \
                    Claim: 1 % of the impulse of the bar at rest, \
                    2 % at 20 rad/s, none at 80; a warning from 0.01 rad on.",
            run: wendt::turning,
        },
        Case {
            name: "ball-in-shell",
            title: "A rigid ball in a shell",
            about: "\
                    A rigid ball in a free spherical shell, without friction, contact by springs \
                    (meshes/ball-in-shell, Puso and Zywicz 1998), 100 s in steps of 1 ms to 0.5 s. \
                    Expected: constant energy and angular momentum at any step, and the energy of the \
                    springs at the depth of the ball's swing. Claim: 1e-12, and 0.5 % of that energy.",
            run: conserving::ball_in_shell,
        },
        Case {
            name: "hollow-ball",
            title: "A hollow ball on a plate",
            about: "\
                    A hollow ball of rubber flies obliquely onto a free plate, 432 and 100 hexahedra in \
                    large deformation, steps of 10 ms (meshes/hollow-ball, Franke, Hesch and Betsch \
                    2013, whose sizes are not public), in the schemes `energy-momentum` and `midpoint`; \
                    with the paper's mixed formulation, with persistency, with springs and friction in \
                    steps of 10 to 2.5 ms, with steps of 40 ms, with cells half as large for 0.3 s, and \
                    spinning with 5 rad/s for 2.4 s in steps of 40 and 80 ms (spinning.toml). \
                    Expected: the kinetic energy of the data set of this case; constant energy but for \
                    landings and friction, which never gain; constant momentum and angular momentum. \
                    Claim: 1e-9 of the energy, 1e-11 of the momenta.",
            run: conserving::hollow_ball,
        },
        Case {
            name: "two-bars",
            title: "Two elastic bars in explicit steps",
            about: "\
                    Two bars of 50 m x 1 m x 1 m, 50 cells each, meet end on at 1 m/s, scheme `explicit` \
                    (meshes/two-bars): contact by multipliers, and by springs. Expected: two chains of \
                    masses and springs in central differences, computed here, and bar waves. Claim: \
                    round-off of the chains, as Poisson's ratio is zero; 1 % in the force of the waves, \
                    two steps in the duration, and no overlap with multipliers.",
            run: explicit::two_bars,
        },
        Case {
            name: "rigid-bars",
            title: "Two rigid bars in explicit steps",
            about: "\
                    The bars of the case before, rigid, meet with four nodes on four: eight contacts, \
                    of which four repeat the others (meshes/rigid-bars). Expected: their velocities \
                    swap in one step. Claim: 1e-14.",
            run: zywicz_puso::rigid_bars,
        },
        Case {
            name: "rod-in-cube",
            title: "A rigid rod in a rigid cube in two schemes",
            about: "\
                    A rod with 50 m/s and 40 rad/s in a free hollow cube, steps of 1 us \
                    (meshes/rod-in-cube), in the schemes `rigid` and `explicit`. Expected: the first \
                    impacts in the limit of small steps, computed independently of this project. \
                    Claim: a step for the time of the first impact and ten for that of the second, as the \
                    motion is chaotic; the errors of the paper, 9.46e-11 of the energy and 2.86e-10 of \
                    the angular momentum, as limits. The third impact grazes a wall, and its time has no \
                    claim.",
            run: zywicz_puso::rod_in_cube,
        },
        Case {
            name: "bumper",
            title: "A bumper on a pole",
            about: "\
                    A box beam and a shield, 841 shells of sheet steel, meet an elastic pole of 496 \
                    hexahedra at 9.47 m/s (meshes/bumper-on-pole, a geometry of our own with the \
                    counts of Zywicz and Puso), the first 10 ms, with multipliers and with springs of \
                    2e10 Pa/m, without friction and with a coefficient of 0.1. Claim: energies that \
                    add up to 1e-11. The paper has 3 and 13 % more cost with multipliers, at most 149 \
                    multipliers, 93 on average, and 0.165 iterations for each, over 0.1 s.",
            run: zywicz_puso::bumper,
        },
        Case {
            name: "soft-rod",
            title: "One impact of reduced and of whole bodies",
            about: "\
                    A ball of soft plastic (R 15 mm, E 100 MPa, nu 0.45, 1200 kg/m3) at 1 m/s on the \
                    end of a free rod of the same material (d 20 mm, L 400 mm): reduced bodies in the \
                    scheme `quasistatic` (meshes/sphere-on-rod/soft.toml) and whole ones in the scheme \
                    `explicit` (soft-whole.toml). Expected: the reduced run. Claim: 3 % in force, \
                    duration and the velocity of the far end, the part of cells of a third of the \
                    contact radius.",
            run: two_ways::soft_rod,
        },
        Case {
            name: "six-ways",
            title: "One impact in seven schemes",
            about: "\
                    The impact of a ball of soft plastic on a rod (meshes/sphere-on-rod) up to 1.4 ms: \
                    reduced bodies by quasistatic contact with penalties and without, and by the scheme \
                    `dynamic`; whole ones by explicit steps, by energy-momentum steps and by \
                    complementarity, on a coarser mesh than that of the case soft-rod (cells of 1.6 mm \
                    at the contact, three quarters of its radius); and rigid ones. Expected: the first \
                    scheme of reduced bodies for these, explicit steps for whole bodies on the same \
                    mesh. Claim: 2 % of impulse and velocities between schemes of the same bodies, 5 % \
                    of peak force and duration, to which bounces of single points contribute; 10 % \
                    between reduced bodies and the coarse mesh of whole ones.",
            run: six_ways::six_ways,
        },
    ]
}
