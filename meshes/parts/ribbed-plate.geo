// A plate of 90 x 60 x 3 mm with two ribs of 3 x 10 mm below; its top lies at z = 0.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.045, -0.030, -0.003, 0.090, 0.060, 0.003};
Box(2) = {-0.045, -0.0135, -0.013, 0.090, 0.003, 0.010};
Box(3) = {-0.045, 0.0105, -0.013, 0.090, 0.003, 0.010};
BooleanUnion { Volume{1}; Delete; } { Volume{2, 3}; Delete; }
