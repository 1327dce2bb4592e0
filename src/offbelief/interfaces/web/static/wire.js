// The socket to the server: comes back by itself when the line drops, and asks for the table again.

export class Wire {
  constructor({ onMessage, onState }) {
    this.onMessage = onMessage;
    this.onState = onState;
    this.waiting = [];
    this.pause = 250;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket.addEventListener("open", () => {
      this.pause = 250;
      this.onState("open");
      for (const text of this.waiting.splice(0)) this.socket.send(text);
    });
    this.socket.addEventListener("message", (event) => this.onMessage(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => {
      this.onState("closed");
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(4000, this.pause * 2);
    });
  }

  // Moves are not kept for later: when the line is back the game may have gone on.
  say(message, { keep = false } = {}) {
    const text = JSON.stringify(message);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (keep) this.waiting.push(text);
    else return false;
    return true;
  }
}
