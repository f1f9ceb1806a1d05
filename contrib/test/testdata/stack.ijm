// Makes a calibrated stack with labels of two 16-bit files.
a = split(getArgument(), "|");
setBatchMode(true);
open(a[0] + "/gray16.tif");
rename("one");
open(a[0] + "/gray16b.tif");
rename("two");
run("Images to Stack", "name=both use");
setVoxelSize(0.25, 0.25, 1, "um");
saveAs("Tiff", a[0] + "/stack16.tif");
run("Quit");
