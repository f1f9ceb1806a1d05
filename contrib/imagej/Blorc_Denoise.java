import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.Macro;
import ij.Prefs;
import ij.gui.DialogListener;
import ij.gui.GenericDialog;
import ij.io.FileSaver;
import ij.io.Opener;
import ij.plugin.filter.ExtendedPlugInFilter;
import ij.plugin.filter.PlugInFilterRunner;
import ij.process.Blitter;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import java.awt.AWTEvent;
import java.awt.Rectangle;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plugins > Blorc Denoise: removes noise from 8-bit, 16-bit, 32-bit and RGB images and stacks with the program
 * blorc-denoise. ImageJ itself cares for undo, selections, stacks and the preview. Scale and slice labels stay, since only
 * pixels are replaced. A whole stack is one file for the program, which runs once: the slices of a channel have one noise. It is measured
 * on whole slices, also if there is a selection.
 */
public class Blorc_Denoise implements ExtendedPlugInFilter, DialogListener {
	private static final int FLAGS = DOES_8G | DOES_16 | DOES_32 | DOES_RGB | SUPPORTS_MASKING | KEEP_PREVIEW;
	private static final String[] NOISES = {"found", "white", "camera", "photons"};
	private static final String[] QUALITIES = {"fast", "balanced", "best"};
	private static final Pattern SHARE = Pattern.compile("\"done\":([0-9.]+)");

	private String noise = Prefs.get("blorc.noise", NOISES[0]);
	private double sigma = Prefs.get("blorc.sigma", 15);
	private double gain = Prefs.get("blorc.gain", 0);
	private double offset = Prefs.get("blorc.offset", 0);
	private double readNoise = Prefs.get("blorc.read", 0);
	private double strength = Prefs.get("blorc.strength", 100);
	private double luma = Prefs.get("blorc.luma", 100);
	private double chroma = Prefs.get("blorc.chroma", 100);
	private String quality = Prefs.get("blorc.quality", QUALITIES[1]);
	private boolean together = Prefs.get("blorc.together", false);
	private String program = Prefs.get("blorc.program", environment());

	private ImagePlus image;
	private boolean whole; // all slices of the stack are asked for
	private ImageStack results; // of a whole stack, once the program has run
	private boolean failed;

	private static String environment() {
		String path = System.getenv("BLORC_DENOISE");
		return path == null || path.isEmpty() ? "blorc-denoise" : path;
	}

	@Override
	public int setup(String arg, ImagePlus imp) {
		image = imp;
		return FLAGS;
	}

	@Override
	public int showDialog(ImagePlus imp, String command, PlugInFilterRunner runner) {
		GenericDialog d = new GenericDialog("Blorc Denoise");
		d.addChoice("Noise", NOISES, noise);
		d.addNumericField("Sigma (0-255)", sigma, 1);
		d.addNumericField("Gain (0: find it)", gain, 3, 8, "levels per photon");
		d.addNumericField("Offset", offset, 2, 8, "levels");
		d.addNumericField("Read_noise", readNoise, 3, 8, "levels");
		d.addSlider("Strength (%)", 0, 100, strength);
		if (imp.getBitDepth() == 24) {
			d.addSlider("Brightness (%)", 0, 100, luma);
			d.addSlider("Colours (%)", 0, 100, chroma);
		}
		d.addChoice("Quality", QUALITIES, quality);
		if (imp.getStackSize() > 1) {
			d.addCheckbox("Together (slices of a whole stack help each other)", together);
		}
		d.addStringField("Program", program, 24);
		d.addPreviewCheckbox(runner);
		d.addDialogListener(this);
		d.showDialog();
		if (d.wasCanceled()) {
			return DONE;
		}
		if (!dialogItemChanged(d, null)) {
			IJ.error("Blorc Denoise", "A value is not a number, or out of range.");
			return DONE;
		}
		if (Macro.getOptions() == null) {
			remember();
		}
		int flags = IJ.setupDialog(imp, FLAGS); // asks whether all slices are meant
		whole = (flags & DOES_STACKS) != 0;
		return whole ? flags & ~KEEP_PREVIEW : flags; // else the stack would hold a slice that is denoised already
	}

	@Override
	public boolean dialogItemChanged(GenericDialog d, AWTEvent e) {
		noise = d.getNextChoice();
		sigma = d.getNextNumber();
		gain = d.getNextNumber();
		offset = d.getNextNumber();
		readNoise = d.getNextNumber();
		strength = d.getNextNumber();
		if (image.getBitDepth() == 24) {
			luma = d.getNextNumber();
			chroma = d.getNextNumber();
		}
		quality = d.getNextChoice();
		if (image.getStackSize() > 1) {
			together = d.getNextBoolean();
		}
		program = d.getNextString().trim();
		failed = false;
		return !d.invalidNumber() && sigma > 0 && gain >= 0 && readNoise >= 0 && isPercent(strength) && isPercent(luma) && isPercent(chroma);
	}

	private static boolean isPercent(double v) {
		return v >= 0 && v <= 100;
	}

	private void remember() {
		Prefs.set("blorc.noise", noise);
		Prefs.set("blorc.sigma", sigma);
		Prefs.set("blorc.gain", gain);
		Prefs.set("blorc.offset", offset);
		Prefs.set("blorc.read", readNoise);
		Prefs.set("blorc.strength", strength);
		Prefs.set("blorc.luma", luma);
		Prefs.set("blorc.chroma", chroma);
		Prefs.set("blorc.quality", quality);
		Prefs.set("blorc.together", together);
		Prefs.set("blorc.program", program);
	}

	@Override
	public void setNPasses(int passes) {
		// The program tells the progress of all passes.
	}

	/** Denoises one slice. The first one of a whole stack denoises all of them, and each takes its result. */
	@Override
	public void run(ImageProcessor ip) {
		if (failed || IJ.escapePressed()) {
			return;
		}
		Rectangle part = ip.getRoi();
		try {
			if (!whole) {
				put(ip, denoised(stackOf(ip), part).getProcessor(1), part);
				return;
			}
			if (results == null) {
				results = denoised(image.getStack(), part);
			}
			put(ip, results.getProcessor(ip.getSliceNumber()), part);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		} catch (IOException e) {
			failed = true; // the other slices would fail alike
			IJ.error("Blorc Denoise", e.getMessage());
		} finally {
			IJ.showProgress(1);
		}
	}

	private static ImageStack stackOf(ImageProcessor ip) {
		ImageStack one = new ImageStack(ip.getWidth(), ip.getHeight());
		one.addSlice("", ip.getPixels());
		return one;
	}

	/** Runs the program on a stack. An interrupt, which a changed preview gives, or Esc ends the program. */
	private ImageStack denoised(ImageStack stack, Rectangle part) throws IOException, InterruptedException {
		File in = null;
		File out = null;
		try {
			in = File.createTempFile("blorc-", ".tif");
			out = new File(in.getPath().replace(".tif", "-out.tif"));
			save(stack, in);
			execute(command(stack, in, out, part));
			return read(out, stack, part);
		} finally {
			delete(in);
			delete(out);
		}
	}

	private static void delete(File f) {
		if (f != null) {
			f.delete();
		}
	}

	/** Writes the samples of a stack, as gray whatever its lookup table, and its numbers of channels, slices and frames. */
	private void save(ImageStack stack, File to) throws IOException {
		ImageStack plain = new ImageStack(stack.getWidth(), stack.getHeight());
		for (int i = 1; i <= stack.size(); i++) {
			plain.addSlice("", stack.getPixels(i));
		}
		ImagePlus file = new ImagePlus("blorc", plain);
		if (plain.size() == image.getStackSize()) {
			file.setDimensions(image.getNChannels(), image.getNSlices(), image.getNFrames());
			file.setOpenAsHyperStack(image.isHyperStack());
		}
		if (!new FileSaver(file).saveAsTiff(to.getPath())) {
			throw new IOException(to + " cannot be written");
		}
	}

	private List<String> command(ImageStack stack, File in, File out, Rectangle part) {
		List<String> c = new ArrayList<>(Arrays.asList(program.isEmpty() ? environment() : program, "-q", "--progress=json", "--on-invalid=keep",
				"--quality=" + quality, "--strength=" + strength / 100, "--luma=" + luma / 100, "--chroma=" + chroma / 100));
		if (noise.equals("white")) {
			c.add("--sigma=" + sigma);
		} else if (noise.equals("camera")) {
			c.add("--noise=camera");
		} else if (noise.equals("photons")) {
			c.add("--noise=poisson");
			if (gain > 0) {
				c.addAll(Arrays.asList("--gain=" + gain, "--offset=" + offset, "--read-noise=" + readNoise));
			}
		}
		if (stack.size() > 1 && together) {
			c.add("--together");
		}
		if (stack.getProcessor(1) instanceof FloatProcessor) {
			c.add("--white=" + fullScale(stack));
		}
		if (part.width < stack.getWidth() || part.height < stack.getHeight()) {
			c.add("--crop=" + part.x + "," + part.y + "," + part.width + "," + part.height);
		}
		c.addAll(Arrays.asList(in.getPath(), "-o", out.getPath()));
		return c;
	}

	/** The full scale of float samples: 1, 255, 4095 or 65535, whichever the largest sample fits in, or that sample. */
	private static double fullScale(ImageStack stack) {
		double most = 0;
		for (int i = 1; i <= stack.size(); i++) {
			most = Math.max(most, stack.getProcessor(i).getStats().max);
		}
		for (double scale : new double[] {1, 255, 4095, 65535}) {
			if (most <= scale) {
				return scale;
			}
		}
		return most;
	}

	private void execute(List<String> command) throws IOException, InterruptedException {
		Process p = new ProcessBuilder(command).start();
		StringBuilder messages = new StringBuilder();
		Thread reader = new Thread(() -> read(p, messages), "blorc-denoise");
		reader.start();
		try {
			while (!p.waitFor(50, TimeUnit.MILLISECONDS)) {
				if (IJ.escapePressed()) {
					IJ.beep();
					failed = true;
					throw new InterruptedException();
				}
			}
			reader.join();
		} catch (InterruptedException e) {
			p.destroy();
			p.waitFor(5, TimeUnit.SECONDS); // it removes its files
			throw e;
		}
		if (p.exitValue() != 0) {
			throw new IOException(messages.length() > 0 ? messages.toString().trim() : "the program failed with code " + p.exitValue());
		}
	}

	private static void read(Process p, StringBuilder messages) {
		try (BufferedReader r = new BufferedReader(new InputStreamReader(p.getErrorStream(), StandardCharsets.UTF_8))) {
			for (String line = r.readLine(); line != null; line = r.readLine()) {
				Matcher m = SHARE.matcher(line);
				if (!line.startsWith("{")) {
					messages.append(line).append('\n');
				} else if (m.find()) {
					IJ.showProgress(Double.parseDouble(m.group(1)));
				}
			}
		} catch (IOException e) {
			messages.append(e.getMessage());
		}
	}

	private static ImageStack read(File from, ImageStack source, Rectangle part) throws IOException {
		ImagePlus result = new Opener().openTiff(from.getParent() + File.separator, from.getName());
		if (result == null || result.getWidth() != part.width || result.getHeight() != part.height || result.getStackSize() != source.size()
				|| result.getBitDepth() != source.getBitDepth()) {
			throw new IOException("the output of the program cannot be read");
		}
		return result.getStack();
	}

	private static void put(ImageProcessor ip, ImageProcessor result, Rectangle part) {
		ip.copyBits(result, part.x, part.y, Blitter.COPY);
	}
}
