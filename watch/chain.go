package watch

// longestChain is how many daemons that feed one another are looked at.
const longestChain = 20

// noCircle refuses to be the last of several daemons that feed one another in a circle, since each output would be
// denoised again for ever. It goes from the input folder backwards: what has a running daemon's state is the output
// folder of that daemon, whose ledger says where its inputs come from.
func (o *Options) noCircle() error {
	at := o.In
	for range longestChain {
		from, running := feeds(at)
		if !running || from == "" {
			return nil
		}
		for _, pair := range [][2]string{{from, o.Out}, {o.Out, from}} {
			inside, err := within(pair[0], pair[1])
			if err != nil {
				return err
			}
			if inside {
				return failf(ErrFolders, "a circle: another daemon takes its inputs from %s and writes to %s", from, at)
			}
		}
		at = from
	}
	return nil
}

// feeds returns the input folder of the daemon that writes to a folder, and whether it runs.
func feeds(out string) (in string, running bool) {
	state, err := openState(out)
	if err != nil {
		return "", false
	}
	defer state.Close()
	f, err := state.Open(ledgerName)
	if err != nil {
		return "", false
	}
	defer f.Close()
	eachLine(f, func(_ int64, line []byte) {
		if r, ok := parseRecord(line); ok && r.Kind == kindStart {
			in = string(r.Name)
		}
	})
	return in, locked(state)
}
