/** Many clients of one stream, in a process of their own: they count events and throw them away. */
import { connect } from 'node:net';

const [port = '', path = '', count = ''] = process.argv.slice(2);
const MARK = Buffer.from('\n\n');
let [events, open] = [0, 0];
let reported = -1;

for (let n = 0; n < Number(count); n += 1) {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: fleet\r\n\r\n`);
  let isOpen = false;
  socket.on('data', (bytes: Buffer) => {
    for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 2)) events += 1;
    if (isOpen) return;
    isOpen = true;
    // The first mark is that of `retry`.
    events -= 1;
    open += 1;
    if (open === Number(count)) process.send?.({ ready: true });
  });
}

setInterval(() => {
  if (events !== reported) process.send?.({ events });
  reported = events;
}, 1);
process.once('disconnect', () => process.exit(0));
