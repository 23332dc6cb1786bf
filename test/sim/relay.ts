import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  readonly port: number;
}

/** Listens at an address of this machine, and passes every byte on to a server that listens at another. */
export async function startRelay(address: string, target: { host: string; port: number }): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target.port, target.host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
