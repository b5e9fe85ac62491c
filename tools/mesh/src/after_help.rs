//! The ends of the help texts.

pub(crate) const MESH: &str = "\
Examples:
  carom-mesh make ball --radius 0.015 -o ball.npz
  carom-mesh import bracket.step --size 4e-3 --material pmma -o bracket.npz
  carom-mesh info ball.npz --picture ball.png";

pub(crate) const MAKE: &str = "\
Sets of the shapes, and the directions that --elements counts:

  ball       surface; pole (a cap around +z)
             elements: an edge of the inner cube, the radius outside of it
  octant     the eighth of a ball with x, y, z >= 0: surface; x0 y0 z0 (the planes x = 0,
             y = 0, z = 0); pole (around +z). Its patch is collapsed in the centre and along +x
             elements: a quarter of a great circle, the radius
  ellipsoid  surface; pole (around +z)
             elements: as for a ball
  shell      a hollow sphere: outer, inner; pole (a cap of outer around +z)
             elements: a quarter of a great circle, the wall
  rod        along +x from 0 to L: start, end, side; start_pole, end_pole (around the axis)
             elements: the axis, a quarter of the circumference, the radius outside of the
             inner square
  capsule    a rod with spherical ends along +x, its tips at 0 and L: start, end (the half
             spheres), side, surface (all three); start_pole, end_pole (around the tips)
             elements: the axis of the cylinder, then as for a rod
  tube       along +x from 0 to L: start, end, outer, inner
             elements: the axis, a quarter of the circumference, the wall
  box        one corner at the origin: west east (x) south north (y) bottom top (z)
             elements: x, y, z
  plate      its centre at the origin: the sets of the box; edge; pole (the middle of top)
             elements: x, y, z
  torus      a solid ring around z: surface
             elements: a quarter of the ring, a quarter of the section's circumference, the
             section's radius outside of its inner square

NURBS bodies also have patchN:west and so on, for every side of every patch. Octant, ellipsoid and
capsule can only be made as NURBS, the others also of hexahedra (--hex).

Examples:
  carom-mesh make ball --radius 0.015 --grade pole --finest 5e-4 -o ball.npz
  carom-mesh make rod --radius 0.01 --length 0.2 --hex -o rod.npz
  carom-mesh make box --size 0.1,0.02,0.01 --material aluminium -o box.npz";

pub(crate) const IMPORT: &str = "\
Examples:
  carom-mesh import bracket.step --near 0,0,0.02:0.003=5e-4 -o bracket.npz
  carom-mesh import clamp.step --solid 2 -o jaw.npz
  carom-mesh import deck.inp --units mm-t-s -o deck.npz";

pub(crate) const REFINE: &str = "\
Examples:
  carom-mesh refine rod.npz --subdivide 2 -o fine.npz
  carom-mesh refine ball.npz --elevate 1 -o cubic.npz
  carom-mesh refine ball.npz --near pole --levels 3 -o local.npz";

pub(crate) const INFO: &str = "\
Examples:
  carom-mesh info conrod.msh --picture conrod.png
  carom-mesh info clamp.step --density 7800
  carom-mesh info bracket.npz --faces --at 0,0,0.02";

pub(crate) const CONVERT: &str = "\
Examples:
  carom-mesh convert rod.npz -o rod.msh
  carom-mesh convert ball.npz -o ball.xml";

pub(crate) const MATERIALS: &str = "\
Examples:
  carom-mesh materials";
