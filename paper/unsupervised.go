package paper

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// unsupervised makes fig:unsup.
func unsupervised(ctx context.Context, s Setting, sec *sectionBuilder) error {
	const clean = 100
	d := s.piecewise()
	train, test := d.train, d.test
	larger := s
	// it takes little time, and with too few iterations the comparison would not be fair
	larger.Effort = min(1, 10*s.Effort)
	iterations := larger.count(1000, 10)
	sec.Size = fmt.Sprintf("%d clean signals (paper: 100), %d iterations; %d steps of supervised training (paper: "+
		"%d), %d test signals (paper: 15)",
		clean, iterations, s.count(signalSteps, 10), signalSteps, test.count())
	ref := tunedTV(train)
	t := report.Table{Caption: "Piecewise-constant signals; PSNR in dB on test signals",
		Head: []string{"method", "PSNR", "paper", "difference", "strength"}}
	t.Add("noisy", number(meanPSNR(test.Clean, test.Noisy)), "19.5",
		signedDifference(meanPSNR(test.Clean, test.Noisy), 19.5), "")
	var pictures []report.Picture
	shown := newExample(test)
	for _, start := range []struct {
		name string
		w    solve.Transform
	}{{"identity", solve.Identity(signalLength, 1)}, {"DCT", dct1D(signalLength)},
		{"Haar wavelets", haar(signalLength)}} {
		w, objective := onedim.Orthogonal{Start: start.w, Rho: 20, Iterations: iterations}.Learn(train.Clean[:clean])
		tuned := tunedOrthonormal("unsupervised from the "+start.name, w, train)
		restored := tuned.apply(test.Noisy)
		psnr := meanPSNR(test.Clean, restored)
		t.Add(tuned.name, number(psnr), "25.2", signedDifference(psnr, 25.2), twoDigits(tuned.strength))
		pictures = append(pictures, sec.matrix(tuned.name, tuned.operator))
		shown.add(tuned.name, restored, report.Coloured)
		sec.say("Starting from the %s, the objective, which is the sum of |W x|, goes from %.0f to %.0f.", start.name,
			objective[0], objective[len(objective)-1])
	}
	wavelets := tunedOrthonormal("Haar wavelets, orthogonal but not learned", haar(signalLength), train)
	psnr := meanPSNR(test.Clean, wavelets.apply(test.Noisy))
	t.Add(wavelets.name, number(psnr), "", "", twoDigits(wavelets.strength))
	const supervised = "supervised: "
	learned, err := learnedFor(ctx, s, sec, supervised, d, ref, shown, func(v variant, psnr float64) {
		t.Add(supervised+v.name, number(psnr), "26.2", signedDifference(psnr, 26.2), "")
	})
	if err != nil {
		return err
	}
	sec.table(t)
	sec.figure("Transforms times their strengths.", append(pictures, learned...)...)
	sec.figure("A test signal.", shown.draw(sec, "a test signal", 18))
	sec.say("The unsupervised operator is orthogonal, so it cannot be the finite differences, whose rows are not. " +
		"Its strength is tuned by golden-section search on the training pairs; the paper does not say how it chose " +
		"the strength. " +
		"The Haar wavelets are orthogonal and suited to such signals. Their PSNR suggests how far an orthogonal " +
		"operator can go, and it is below the paper's 25.2 dB.")
	return nil
}
