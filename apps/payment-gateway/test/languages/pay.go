// Signs and publishes commands with the example's own code, in place of its program: one JSON object a line on standard input.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
)

func main() {
	signer := Signer{os.Getenv("SIGNING_KID"), os.Getenv("SIGNING_KEY"), os.Getenv("ENVIRONMENT_ID")}
	client, err := Connect(os.Getenv("KAFKA_BROKERS"), "shop-in-go")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for lines := json.NewDecoder(os.Stdin); ; {
		var line struct {
			Topic, Key, Value string
			Headers           map[string]string
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		command := Command{line.Topic, line.Key, line.Headers, []byte(line.Value)}
		if err := Publish(context.Background(), client, signer, command); err != nil {
			log.Fatal(err)
		}
	}
}
