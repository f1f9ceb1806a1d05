package watch

import (
	"net"
	"os"
	"strconv"
	"time"
)

// TellSystemd sends a state, such as "READY=1" or "WATCHDOG=1", to the service manager that set NOTIFY_SOCKET. Without
// one it does nothing.
func TellSystemd(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	if name[0] == '@' { // an abstract name, which begins with a zero byte
		name = "\x00" + name[1:]
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}

// Watchdog returns a function for Options.Beat that tells systemd often enough that the daemon is alive, if systemd
// asks for that.
func Watchdog() func() {
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if pid := os.Getenv("WATCHDOG_PID"); err != nil || usec <= 0 || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return func() {}
	}
	var last time.Time
	return func() {
		if time.Since(last) >= time.Duration(usec)*time.Microsecond/3 {
			last = time.Now()
			TellSystemd("WATCHDOG=1") // if it does not arrive, systemd restarts the daemon
		}
	}
}
