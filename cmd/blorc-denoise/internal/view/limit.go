package view

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// limits are what others may take of the server. Whoever has not shown the token can be anybody on this machine.
type limits struct {
	header      time.Duration // for the header of a request to come
	body        time.Duration // for its body to come
	refused     time.Duration // for the body of a request that is refused
	write       time.Duration // for a browser to take an answer, or an event
	idle        time.Duration // between two requests
	connections int           // of pages at a time; a browser has six for a page
	strangers   int           // connections at a time that have not shown the token
	serving     int           // requests at a time
}

var usualLimits = limits{header: 5 * time.Second, body: 10 * time.Second, refused: time.Second, write: 30 * time.Second,
	idle:        time.Minute,
	connections: 64, strangers: 256, serving: 32}

// timed ends a request whose sender does not go on: the body and the answer have to come within these times.
func timed(w http.ResponseWriter, r *http.Request, body, write time.Duration) {
	c, now := http.NewResponseController(w), time.Now() // tests have no connection, so errors do not count
	_ = c.SetWriteDeadline(now.Add(write))
	if r.ContentLength != 0 { // else the deadline would end the request when it is past, as that of events
		_ = c.SetReadDeadline(now.Add(body))
	}
}

// deadline gives an answer that took long to come, or a part of one, its own time to be taken.
func (s *server) deadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.c.limits.write))
}

// limitConnections returns a listener with a limit of connections. It always accepts one more: if it has too many
// strangers, the one that came first has to go. So nobody without the token keeps out one who has it.
func limitConnections(l net.Listener, most limits) net.Listener {
	return &limited{Listener: l, limits: most}
}

type limited struct {
	net.Listener
	limits limits

	mu        sync.Mutex
	strangers []*limitedConn // in the order in which they came
	known     int
}

func (l *limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &limitedConn{Conn: c, of: l}
	if first := l.add(one); first != nil {
		first.Close()
	}
	return one, nil
}

// add adds a stranger, and returns the one that has to go for it.
func (l *limited) add(c *limitedConn) (first *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strangers) >= l.limits.strangers {
		first, l.strangers = l.strangers[0], l.strangers[1:]
	}
	l.strangers = append(l.strangers, c)
	return first
}

type limitedConn struct {
	net.Conn
	of    *limited
	known bool // guarded by the lock of the listener
}

func (c *limitedConn) Close() error {
	l := c.of
	l.mu.Lock()
	if c.known {
		c.known = false
		l.known--
	}
	l.strangers = slices.DeleteFunc(l.strangers, func(other *limitedConn) bool { return other == c })
	l.mu.Unlock()
	return c.Conn.Close()
}

// know notes that a connection has shown the token. It returns false if too many have.
func (c *limitedConn) know() bool {
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.known {
		return true
	}
	if l.known >= l.limits.connections {
		return false
	}
	l.strangers = slices.DeleteFunc(l.strangers, func(other *limitedConn) bool { return other == c })
	l.known++
	c.known = true
	return true
}

// connection is the key of the connection in the context of a request.
type connection struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, c)
}

// know calls limitedConn.know for the connection of r. Tests have no connection.
func know(r *http.Request) bool {
	c, ok := r.Context().Value(connection{}).(*limitedConn)
	return !ok || c.know()
}
