import type { AgentRuntime } from '@x/agent-runtime';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a monitor asks of the gateway: traffic, errors, latency, saturation. */
export interface Metrics {
  countRequest(method: string, route: string, status: number, seconds: number): void;
  /** The text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const TURN_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function createMetrics(runtime: AgentRuntime): Metrics {
  const registers = [new Registry()];
  const registry = registers[0] as Registry;
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'holdfast_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'Time until the answer began.',
    labelNames: ['route'],
    registers,
  });
  const turns = new Counter({
    name: 'holdfast_turns_total',
    help: 'Turns that ended, by how.',
    labelNames: ['status'],
    registers,
  });
  const turnSeconds = new Histogram({
    name: 'holdfast_turn_seconds',
    help: 'Time from the start of a turn to its end.',
    buckets: TURN_BUCKETS,
    registers,
  });
  const messages = new Counter({
    name: 'holdfast_messages_total',
    help: 'Messages stored, by role.',
    labelNames: ['role'],
    registers,
  });
  new Gauge({
    name: 'holdfast_turns_running',
    help: 'Turns that run now.',
    registers,
    collect() {
      this.set(runtime.active().length);
    },
  });
  new Gauge({
    name: 'holdfast_turns_waiting',
    help: 'Turns that wait behind another of their session.',
    registers,
    collect() {
      this.set(runtime.active().reduce((sum, { queued }) => sum + queued, 0));
    },
  });

  const ends = new Map<string, () => void>();
  runtime.subscribe((event) => {
    if (event.type === 'started') ends.set(event.turnId, turnSeconds.startTimer());
    if (event.type === 'accepted' || event.type === 'message') messages.inc({ role: event.message.role });
    if (event.type === 'ended') {
      turns.inc({ status: event.outcome.status });
      ends.get(event.turnId)?.();
      ends.delete(event.turnId);
    }
  });

  return {
    countRequest(method, route, status, seconds) {
      requests.inc({ method, route, status: String(status) });
      latency.observe({ route }, seconds);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
