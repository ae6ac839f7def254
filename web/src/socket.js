// The connection to the server: requests in slots, of which only the latest is answered.
const RETRY = 1000;

export class Connection {
  constructor(onAnswer, onStatus) {
    this.onAnswer = onAnswer;
    this.onStatus = onStatus;
    this.latest = new Map();
    this.next = 1;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket.onopen = () => {
      this.onStatus(true);
      for (const request of this.latest.values()) this.socket.send(JSON.stringify(request));
    };
    this.socket.onmessage = ({ data }) => {
      const answer = JSON.parse(data);
      if (answer.pane === "refused" || this.latest.get(answer.slot)?.id === answer.id) this.onAnswer(answer);
    };
    this.socket.onclose = () => {
      this.onStatus(false);
      setTimeout(() => this.open(), RETRY);
    };
  }

  // Answers to what was asked in a slot are of no use any more.
  forget(slot) {
    this.latest.delete(slot);
  }

  // The server does no longer answer what was asked in a slot.
  stop(slot) {
    if (this.latest.delete(slot) && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ id: this.next++, slot, panes: [], source: "" }));
  }

  ask(slot, panes, asked) {
    const request = { id: this.next++, slot, panes, ...asked };
    this.latest.set(slot, request);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }
}
