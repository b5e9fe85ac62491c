//! The boundary of a condensation: displacements of interface points, then six motions of each marker; and
//! the interior.

use carom_linalg::{BlockMatrix, Border, DofSet};
use faer::{Mat, MatMut, MatRef};
use nalgebra::Vector3;

use crate::attachment::{Attached, AttachedMarker, AttachmentKind};
use crate::column::{BoundaryDof, Motion};
use crate::dofs::dofs;
use crate::solver::Space;

/// The boundary dofs and the held dofs of a body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Boundary {
    /// Interface points, ascending: three boundary dofs each.
    pub points: Vec<u32>,
    /// Attachments: six boundary dofs each, translation and rotation of the marker.
    pub markers: Vec<Attached>,
    /// Dofs that are held to the body frame, ascending: 3 point + axis.
    pub held: Vec<usize>,
    /// Nodes that the factor of the interior pins ([`Border`]): three, if only means of sets hold the
    /// interior.
    pub pins: Vec<u32>,
}

impl Boundary {
    /// Only interface points.
    pub fn of_points(points: Vec<u32>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Number of boundary dofs.
    pub fn n_dofs(&self) -> usize {
        3 * self.points.len() + 6 * self.markers.len()
    }

    /// The first dof of each marker.
    pub fn markers(&self) -> impl Iterator<Item = (usize, &Attached)> {
        let n_points = 3 * self.points.len();
        self.markers.iter().enumerate().map(move |(i, marker)| (n_points + 6 * i, marker))
    }

    fn of_kind(&self, kind: AttachmentKind) -> impl Iterator<Item = (usize, &Attached)> {
        self.markers().filter(move |(_, marker)| marker.kind == kind)
    }

    /// Number of constraints of averaged sets.
    pub fn n_constraints(&self) -> usize {
        6 * self.of_kind(AttachmentKind::Mean).count()
    }

    /// The interior: all dofs of used points except interface points, points of rigid sets and held dofs.
    pub fn interior(&self, used: &DofSet) -> DofSet {
        let mut interior = used.clone().without_nodes(&self.points).without_dofs(&self.held);
        for (_, marker) in self.of_kind(AttachmentKind::Rigid) {
            interior = interior.without_nodes(&marker.points);
        }
        interior
    }

    /// The dofs on which the stiffness is inverted: the interior with the means of averaged sets fixed.
    ///
    /// * `used` — dofs of points that belong to a cell
    pub fn space(&self, used: &DofSet) -> Space {
        let interior = self.interior(used);
        if self.n_constraints() == 0 {
            return Space::Free(interior);
        }
        let mut constraints = Mat::zeros(3 * used.n_nodes(), self.n_constraints());
        for (i, (_, marker)) in self.of_kind(AttachmentKind::Mean).enumerate() {
            scatter(marker, &marker.mean, constraints.as_mut().subcols_mut(6 * i, 6));
        }
        Space::Bordered(Border::new(interior, self.pins.clone(), constraints))
    }

    /// −K_ib times the boundary dofs, all rows, 3n × boundary dofs; zero for averaged sets, which are
    /// interior.
    ///
    /// * `room` — number of further columns for which memory is reserved
    pub(crate) fn reactions(&self, k: &BlockMatrix, room: usize) -> Mat<f64> {
        let mut forces = Mat::with_capacity(k.n_dofs(), self.n_dofs() + room);
        forces.resize_with(k.n_dofs(), self.n_dofs(), |_, _| 0.0);
        k.write_columns(&dofs(&self.points), forces.as_mut().subcols_mut(0, 3 * self.points.len()));
        for (first, marker) in self.of_kind(AttachmentKind::Rigid) {
            let mut motion = Mat::zeros(k.n_dofs(), 6);
            scatter(marker, &marker.rigid, motion.as_mut());
            forces.subcols_mut(first, 6).copy_from(k.product(motion.as_ref()));
        }
        forces *= faer::Scale(-1.0);
        forces
    }

    /// Values of the sums of averaged sets for unit boundary dofs, constraints × boundary dofs.
    pub(crate) fn sums(&self) -> Mat<f64> {
        let mut sums = Mat::zeros(self.n_constraints(), self.n_dofs());
        for (i, (first, _)) in self.of_kind(AttachmentKind::Mean).enumerate() {
            (0..6).for_each(|k| sums[(6 * i + k, first + k)] = 1.0);
        }
        sums
    }

    /// Values of the sums of averaged sets for fields over the body, constraints × fields.
    pub(crate) fn sums_of(&self, fields: MatRef<'_, f64>) -> Mat<f64> {
        let mut sums = Mat::zeros(self.n_constraints(), fields.ncols());
        for (i, (_, marker)) in self.of_kind(AttachmentKind::Mean).enumerate() {
            sums.subrows_mut(6 * i, 6).copy_from(mean_motion(marker, fields));
        }
        sums
    }

    /// Writes the displacements prescribed by unit boundary dofs into fields, 3n × boundary dofs.
    pub(crate) fn prescribe(&self, mut modes: MatMut<'_, f64>) {
        for (k, &dof) in dofs(&self.points).iter().enumerate() {
            modes[(dof, k)] = 1.0;
        }
        for (first, marker) in self.of_kind(AttachmentKind::Rigid) {
            scatter(marker, &marker.rigid, modes.as_mut().subcols_mut(first, 6));
        }
    }

    /// The dofs whose values are prescribed: of interface points and rigid sets.
    pub(crate) fn prescribed_dofs(&self) -> Vec<usize> {
        let mut prescribed = dofs(&self.points);
        prescribed.extend(self.of_kind(AttachmentKind::Rigid).flat_map(|(_, marker)| dofs(&marker.points)));
        prescribed
    }

    /// Forces of fields on the boundary dofs, boundary dofs × fields.
    ///
    /// A rigid set collects R_Sᵀ f. So does an averaged one: its forces are Wᵀ ν, and R_Sᵀ Wᵀ = E.
    pub(crate) fn forces(&self, k: &BlockMatrix, fields: MatRef<'_, f64>) -> Mat<f64> {
        let mut rows = dofs(&self.points);
        let n_points = rows.len();
        rows.extend(self.markers.iter().flat_map(|marker| dofs(&marker.points)));
        let forces = k.rows_product(&rows, fields);
        let mut out = Mat::zeros(self.n_dofs(), fields.ncols());
        out.subrows_mut(0, n_points).copy_from(forces.subrows(0, n_points));
        let mut row = n_points;
        for (first, marker) in self.markers() {
            let n = 3 * marker.points.len();
            let sum = marker.rigid.transpose() * forces.subrows(row, n);
            out.subrows_mut(first, 6).copy_from(sum);
            row += n;
        }
        out
    }

    /// The boundary dofs of fields over the body: displacements of points, mean motions of sets, boundary
    /// dofs × fields.
    pub(crate) fn of_fields(&self, fields: MatRef<'_, f64>) -> Mat<f64> {
        let points = dofs(&self.points);
        let mut out = Mat::from_fn(self.n_dofs(), fields.ncols(), |i, k| {
            points.get(i).map_or(0.0, |&dof| fields[(dof, k)])
        });
        for (first, marker) in self.markers() {
            out.subrows_mut(first, 6).copy_from(mean_motion(marker, fields));
        }
        out
    }

    /// The six rigid motions about a centre in boundary dofs, boundary dofs × 6; no column for a body that is
    /// held.
    ///
    /// * `places` — positions of all points \[m\]
    pub(crate) fn rigid_motions(&self, places: &[[f64; 3]], center: [f64; 3]) -> Mat<f64> {
        if !self.held.is_empty() {
            return Mat::zeros(self.n_dofs(), 0);
        }
        let n_points = 3 * self.points.len();
        let at = |row: usize| match row.checked_sub(n_points) {
            None => (places[self.points[row / 3] as usize], row % 3),
            Some(row) => (self.markers[row / 6].center, row % 6),
        };
        Mat::from_fn(self.n_dofs(), 6, |row, k| {
            let (place, i) = at(row);
            let turn = if k < 3 { Vector3::zeros() } else { Vector3::ith(k - 3, 1.0) };
            if i >= 3 {
                return turn[i - 3];
            }
            let arm = Vector3::from_fn(|a, _| place[a] - center[a]);
            if k < 3 { f64::from(u8::from(i == k)) } else { turn.cross(&arm)[i] }
        })
    }

    /// Factors from boundary dofs to displacements: 1, and for the rotation of a marker the extent of its set
    /// \[m\].
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let mut lengths = vec![1.0; self.n_dofs()];
        for (first, marker) in self.markers() {
            lengths[first + 3..first + 6].fill(marker.extent);
        }
        lengths
    }

    /// Factors from the sums of averaged sets to displacements, as [`Boundary::lengths`] \[m\].
    pub(crate) fn mean_lengths(&self) -> Vec<f64> {
        let of_set =
            |(_, marker): (usize, &Attached)| [1.0, 1.0, 1.0, marker.extent, marker.extent, marker.extent];
        self.of_kind(AttachmentKind::Mean).flat_map(of_set).collect()
    }

    /// Removes the forces by which the means of averaged sets are prescribed, f ← f − Wᵀ ν with ν = R_Sᵀ f.
    ///
    /// * `forces` — 3n × fields
    pub(crate) fn take_mean_forces(&self, mut forces: MatMut<'_, f64>) {
        for (_, marker) in self.of_kind(AttachmentKind::Mean) {
            let own = dofs(&marker.points);
            let at_set = Mat::from_fn(own.len(), forces.ncols(), |i, k| forces[(own[i], k)]);
            let along = &marker.mean * (marker.rigid.transpose() * at_set);
            for (i, &dof) in own.iter().enumerate() {
                (0..forces.ncols()).for_each(|k| forces[(dof, k)] -= along[(i, k)]);
            }
        }
    }

    /// Names of its dofs.
    ///
    /// * `sets` — names of the interface sets with their points, ascending
    pub(crate) fn named_dofs(&self, sets: &[(String, Vec<u32>)]) -> Vec<BoundaryDof> {
        let points = self.points.iter().flat_map(|&point| {
            let set = sets.iter().find(|(_, points)| points.binary_search(&point).is_ok());
            let set = set.map_or(String::new(), |(name, _)| name.clone());
            (0..3).map(move |axis| BoundaryDof::Point { set: set.clone(), point, axis })
        });
        let markers = self.markers.iter().flat_map(|marker| {
            Motion::ALL.map(|motion| BoundaryDof::Marker { marker: marker.name.clone(), motion })
        });
        points.chain(markers).collect()
    }

    /// The markers with their rows of Φ: their motions are boundary dofs, so these are rows of Z.
    ///
    /// * `z` — Z
    /// * `com` — origin of the body frame in source coordinates \[m\]
    pub(crate) fn attached_markers(&self, z: MatRef<'_, f64>, com: [f64; 3]) -> Vec<AttachedMarker> {
        let rows = |first: usize| z.subrows(first, 3).to_owned();
        self.markers()
            .map(|(first, marker)| AttachedMarker {
                name: marker.name.clone(),
                kind: marker.kind,
                position_b: std::array::from_fn(|a| marker.center[a] - com[a]),
                translation: rows(first),
                rotation: rows(first + 3),
            })
            .collect()
    }

    /// Mean of the interface points and markers \[m\].
    pub(crate) fn middle(&self, places: &[[f64; 3]]) -> [f64; 3] {
        let n = (self.points.len() + self.markers.len()) as f64;
        let all = || {
            let points = self.points.iter().map(|&point| places[point as usize]);
            points.chain(self.markers.iter().map(|marker| marker.center))
        };
        std::array::from_fn(|a| all().map(|place| place[a]).sum::<f64>() / n)
    }
}

/// The mean motion of a set in fields over the body, 6 × fields.
fn mean_motion(marker: &Attached, fields: MatRef<'_, f64>) -> Mat<f64> {
    let own = dofs(&marker.points);
    let at_set = Mat::from_fn(own.len(), fields.ncols(), |i, k| fields[(own[i], k)]);
    marker.mean.transpose() * at_set
}

/// Writes a field over the points of a set into one over the body.
fn scatter(marker: &Attached, field: &Mat<f64>, mut to: MatMut<'_, f64>) {
    for (row, dof) in dofs(&marker.points).into_iter().enumerate() {
        for k in 0..field.ncols() {
            to[(dof, k)] = field[(row, k)];
        }
    }
}
