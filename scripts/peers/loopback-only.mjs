// Loaded before somebody else's server: it has no option for its address, and would take requests of the whole network.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  const whenListening = args.findLast((arg) => typeof arg === 'function');
  const port = typeof args[0] === 'object' ? args[0].port : args[0];
  return listen.call(this, { port, host: '127.0.0.1' }, whenListening);
};
