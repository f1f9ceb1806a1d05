// Requests to the server. All addresses are relative, so they begin with the token of the page.

// post sends JSON. It returns the answer, or throws an Error with the text for the user.
export async function post(name, body) {
  const r = await fetch('api/' + name, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (!r.ok) throw new Error((await r.text()).trim());
  return r.status === 204 ? null : r.json();
}

// send sends the bytes of a file.
export async function send(name, body) {
  const r = await fetch('api/' + name, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body });
  if (!r.ok) throw new Error((await r.text()).trim());
}

// tile returns the 4 bytes of each pixel of a tile; null if it is the input still; undefined if the run has ended.
export async function tile(run, side, level, x, y) {
  const r = await fetch(`api/tile?run=${run}&side=${side}&level=${level}&x=${x}&y=${y}`);
  if (r.status === 204) return null;
  if (!r.ok) return undefined;
  return new Uint8ClampedArray(await r.arrayBuffer());
}

// listen calls handlers[kind] for each event, and lost() when the server has gone.
export function listen(handlers, lost) {
  let failures = 0;
  let source;
  const connect = () => {
    source = new EventSource('api/events');
    source.onmessage = (m) => {
      failures = 0;
      const e = JSON.parse(m.data);
      handlers[e.kind]?.(e);
    };
    source.onerror = () => {
      if (++failures > 3 || source.readyState === EventSource.CLOSED) {
        source.close();
        lost();
      }
    };
  };
  connect();
  addEventListener('pagehide', () => source.close());
  addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });
}
