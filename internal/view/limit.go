package view

import (
	"net"
	"sync"
)

// maxConnections is how many connections are open at a time. A browser has six for a page.
const maxConnections = 64

// limitConnections returns a listener that accepts no connection while most of them are open.
func limitConnections(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, most), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: c, free: l.free}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free chan struct{}
	once sync.Once
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.free })
	return err
}
