// Makes a calibrated stack with labels of two 16-bit files, and one of two channels and two frames.
a = split(getArgument(), "|");
setBatchMode(true);
open(a[0] + "/gray16.tif");
rename("one");
open(a[0] + "/gray16b.tif");
rename("two");
run("Images to Stack", "name=both use");
setVoxelSize(0.25, 0.25, 1, "um");
saveAs("Tiff", a[0] + "/stack16.tif");
close();
open(a[0] + "/gray16.tif");
open(a[0] + "/gray16c.tif");
open(a[0] + "/gray16b.tif");
open(a[0] + "/gray16d.tif");
run("Images to Stack", "name=frames use");
run("Stack to Hyperstack...", "order=xyczt(default) channels=2 slices=1 frames=2 display=Grayscale");
saveAs("Tiff", a[0] + "/frames16.tif");
run("Quit");
