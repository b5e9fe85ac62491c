"""Opens a .pvd series in ParaView, warps it by displacement, colours it and renders one picture.

    pvpython render.py SERIES.pvd PICTURE.png [--time T] [--scale S] [--field NAME] [--component N]
                       [--view X,Y,Z] [--focus X,Y,Z --width W] [--subdivision N] [--size W,H] [--range LO,HI]

Where there is no display, run it under a virtual one: `xvfb-run -a pvpython ...`.
Prints one JSON object: the times, the range of each point field, the bounds before and after warping.
"""

import argparse
import json
import math
import sys

from paraview import simple, servermanager


def numbers(text):
    return [float(x) for x in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("series")
    parser.add_argument("picture")
    parser.add_argument("--time", type=float, help="seconds; default: the last")
    parser.add_argument("--scale", type=float, default=1.0, help="of the displacement")
    parser.add_argument("--field", help="point field that gives the colour; default: the displacement")
    parser.add_argument("--component", type=int, help="of the field; default: the magnitude")
    parser.add_argument("--range", type=numbers, help="LO,HI of the colours; default: the data's")
    parser.add_argument("--view", type=numbers, default=[-1.0, -1.0, 0.6], help="from where the camera looks")
    parser.add_argument("--focus", type=numbers, help="centre of the picture; default: of the bodies")
    parser.add_argument("--width", type=float, help="height of the picture in metres; default: everything")
    parser.add_argument("--subdivision", type=int, default=3, help="ParaView's nonlinear subdivision level")
    parser.add_argument("--size", type=numbers, default=[1200, 800])
    return parser.parse_args()


def leaves(data):
    """The grids in a dataset, which is composite if the series has several parts."""
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    iterator = data.NewIterator()
    grids = []
    while not iterator.IsDoneWithTraversal():
        grids.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return grids


def summary(source):
    grids = leaves(servermanager.Fetch(source))
    ranges = {}
    for grid in grids:
        data = grid.GetPointData()
        for i in range(data.GetNumberOfArrays()):
            array = data.GetArray(i)
            low, high = array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0)
            old = ranges.get(array.GetName(), (math.inf, -math.inf))
            ranges[array.GetName()] = (min(low, old[0]), max(high, old[1]))
    bounds = [grid.GetBounds() for grid in grids]
    return {
        "parts": len(grids),
        "points": sum(grid.GetNumberOfPoints() for grid in grids),
        "cells": sum(grid.GetNumberOfCells() for grid in grids),
        "cell_types": sorted({grid.GetCellType(0) for grid in grids if grid.GetNumberOfCells()}),
        "rational": [grid.GetPointData().GetRationalWeights() is not None for grid in grids],
        "vectors": [v.GetName() if v else None for v in (g.GetPointData().GetVectors() for g in grids)],
        "ranges": ranges,
        "bounds": [min(b[0] for b in bounds), max(b[1] for b in bounds), min(b[2] for b in bounds),
                   max(b[3] for b in bounds), min(b[4] for b in bounds), max(b[5] for b in bounds)],
    }


def look(view, options, bounds):
    """Parallel projection; z up unless the camera looks along z."""
    centre = options.focus or [0.5 * (bounds[2 * a] + bounds[2 * a + 1]) for a in range(3)]
    extent = math.dist(bounds[0::2], bounds[1::2])
    norm = math.hypot(*options.view)
    direction = [x / norm for x in options.view]
    view.CameraParallelProjection = 1
    view.CameraFocalPoint = centre
    view.CameraPosition = [c + 4.0 * extent * d for c, d in zip(centre, direction)]
    view.CameraViewUp = [0.0, 1.0, 0.0] if abs(direction[2]) > 0.99 else [0.0, 0.0, 1.0]
    view.CameraParallelScale = 0.5 * (options.width or 0.8 * extent)
    view.CenterOfRotation = centre


def main():
    options = arguments()
    simple._DisableFirstRenderCameraReset()
    reader = simple.PVDReader(FileName=options.series)
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues) if hasattr(reader.TimestepValues, "__len__") else [reader.TimestepValues]
    time = options.time if options.time is not None else (times[-1] if times else 0.0)

    reader.UpdatePipeline(time)
    before = summary(reader)
    # No vector is named: Warp By Vector must find the displacement as the active one.
    warp = simple.WarpByVector(Input=reader)
    warp.ScaleFactor = options.scale
    warp.UpdatePipeline(time)
    after = summary(warp)

    view = simple.CreateView("RenderView")
    view.ViewSize = [int(n) for n in options.size]
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    view.OrientationAxesLabelColor = [0.0, 0.0, 0.0]
    view.ViewTime = time
    shown = simple.Show(warp, view)
    shown.Representation = "Surface"
    shown.NonlinearSubdivisionLevel = options.subdivision
    field = options.field or before["vectors"][0]
    if field:
        component = ("POINTS", field) if options.component is None else ("POINTS", field, options.component)
        simple.ColorBy(shown, component)
        table = simple.GetColorTransferFunction(field)
        if options.range:
            table.RescaleTransferFunction(*options.range)
        else:
            shown.RescaleTransferFunctionToDataRange(False, True)
        bar = simple.GetScalarBar(table, view)
        bar.Title = field
        bar.ComponentTitle = "" if options.component is None else str(options.component)
        bar.TitleColor = bar.LabelColor = [0.0, 0.0, 0.0]
        bar.WindowLocation = "Upper Right Corner"
        shown.SetScalarBarVisibility(view, True)
    look(view, options, after["bounds"])
    simple.Render(view)
    simple.SaveScreenshot(options.picture, view, ImageResolution=view.ViewSize)
    json.dump({"times": times, "time": time, "before": before, "after": after}, sys.stdout)
    print()


main()
