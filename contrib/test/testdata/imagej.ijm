a = split(getArgument(), "|");
dir = a[0] + "/";
setBatchMode(true);

open(dir + "rgb8.png");
run("Blorc Denoise...", "noise=white sigma=20 quality=fast");
saveAs("PNG", dir + "ij-rgb8.png");
close();

open(dir + "stack16.tif");
run("Blorc Denoise...", "noise=found quality=fast stack");
saveAs("Tiff", dir + "ij-stack16.tif");
getPixelSize(unit, width, height);
text = "" + nSlices + " " + d2s(width, 3) + " " + unit;
for (i = 1; i <= nSlices; i++) {
  setSlice(i);
  text = text + " " + getInfo("slice.label");
}
File.saveString(text, dir + "ij-stack16.txt");
close();

open(dir + "frames16.tif");
makeRectangle(30, 20, 60, 50);
run("Blorc Denoise...", "noise=found quality=balanced together stack");
run("Select None");
saveAs("Tiff", dir + "ij-frames16.tif");
Stack.getDimensions(width, height, channels, slices, frames);
File.saveString("" + channels + " " + slices + " " + frames, dir + "ij-frames16.txt");
close();

open(dir + "float.tif");
run("Blorc Denoise...", "noise=found quality=fast");
saveAs("Tiff", dir + "ij-float.tif");
close();

open(dir + "hole.tif");
run("Blorc Denoise...", "noise=found quality=fast");
saveAs("Tiff", dir + "ij-hole.tif");
close();

open(dir + "gray8.png");
makeRectangle(30, 20, 60, 50);
run("Blorc Denoise...", "noise=white sigma=20 quality=fast");
run("Select None");
saveAs("PNG", dir + "ij-part.png");
close();

open(dir + "gray8.png");
run("Blorc Denoise...", "noise=white sigma=20 quality=fast");
run("Undo");
saveAs("PNG", dir + "ij-undone.png");
close();
run("Quit");
